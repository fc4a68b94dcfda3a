"""tests/cases.tsv maps every case to tests that exist."""

import ast
import csv
import re
import unittest
from pathlib import Path

import support

TABLE = support.REPOSITORY / "tests" / "cases.tsv"
IDENTIFIERS = support.DATA / "case_ids.txt"


def rows():
    with open(TABLE, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def python_tests():
    """`file.py::Class.method` of every test here."""
    found = set()
    for path in Path(__file__).parent.glob("*_test.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found |= {f"{path.name}::{node.name}.{item.name}" for item in node.body
                          if isinstance(item, ast.FunctionDef) and item.name.startswith("test")}
    return found


def catch_tests():
    """The names of the Catch2 tests of the project."""
    sources = [path for folder in ("unit", "gpu") for path in (support.REPOSITORY / "tests" / folder).rglob("*.c*")]
    return {name for path in sources
            for name in re.findall(r'TEMPLATE_TEST_CASE\(\s*"([^"]+)"|TEST_CASE\(\s*"([^"]+)"',
                                   path.read_text(encoding="utf-8")) for name in name if name}


class CasesTable(unittest.TestCase):
    def test_every_case_is_listed_once(self):
        wanted = IDENTIFIERS.read_text(encoding="utf-8").split()
        self.assertEqual(len(wanted), 104)
        self.assertEqual([row["id"] for row in rows()], wanted)

    def test_every_named_test_exists(self):
        known = python_tests() | catch_tests()
        unknown = [(row["id"], name) for row in rows()
                   for name in row["test"].split("; ") if name not in known]
        self.assertEqual(unknown, [])


if __name__ == "__main__":
    unittest.main()
