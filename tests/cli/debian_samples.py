"""Files of other projects, from Debian packages, and tables of what becomes of each: `right`, or a part of the message that
refuses it.

The packages are fetched once, into `build/samples`; a test that cannot get one fails."""

import csv
import shutil
import subprocess
from pathlib import Path

import support

FOLDER = Path(support.PROGRAM).resolve().parents[1] / "samples"


def fetch(packages):
    """Unpacks each package into FOLDER/<package>, without what it depends on."""
    FOLDER.mkdir(exist_ok=True)
    for package in packages:
        if not (FOLDER / package).is_dir():
            unpack(package)


def unpack(package):
    fetched = FOLDER / f"{package}.part"
    shutil.rmtree(fetched, ignore_errors=True)
    fetched.mkdir()
    told = subprocess.run(["apt-get", "-o", "Acquire::Retries=3", "download", package], cwd=fetched, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise RuntimeError(f"the package {package} can't be fetched: {told.stderr.strip()}; is there a network, was apt-get update run?")
    archive = next(fetched.glob("*.deb"))
    subprocess.run(["dpkg", "-x", archive, fetched], check=True)
    archive.unlink()
    fetched.rename(FOLDER / package)


def rows(table):
    """The rows of a table of tests/data: package, path in it, result, note."""
    with open(support.DATA / table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def path_of(row):
    return FOLDER / row["package"] / row["path"]
