"""The Debian package holds what it should, and its program runs from wherever it is unpacked."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
from support import ProgramTest

BUILD = Path(support.PROGRAM).resolve().parent
SCAN = support.REPOSITORY / "data" / "xray.png"
FILES = ("bin/upfirdn", "share/man/man1/upfirdn.1.gz", "share/bash-completion/completions/upfirdn",
         "share/zsh/vendor-completions/_upfirdn", "share/fish/vendor_completions.d/upfirdn.fish",
         "share/doc/upfirdn/README.md", "share/doc/upfirdn/copyright", "share/doc/upfirdn/changelog.gz",
         *(f"share/doc/upfirdn/{path.relative_to(support.REPOSITORY)}"
           for path in (support.REPOSITORY / "docs").rglob("*") if path.is_file()))


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "needs dpkg-dev")
class Package(ProgramTest):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="upfirdn-package-")
        cls.addClassCleanup(holder.cleanup)
        cls.root = Path(holder.name) / "root"
        cls.usr = cls.root / "usr"
        subprocess.run(["cpack", "--config", BUILD / "CPackConfig.cmake", "-B", holder.name], check=True, capture_output=True)
        cls.package, = Path(holder.name).glob("upfirdn_*.deb")
        subprocess.run(["dpkg", "-x", cls.package, cls.root], check=True)

    def field(self, name):
        return subprocess.run(["dpkg-deb", "-f", self.package, name], check=True, capture_output=True, text=True).stdout

    def test_what_it_holds_and_needs(self):
        held = {str(path.relative_to(self.usr)) for path in self.usr.rglob("*") if path.is_file()}
        modules = {name for name in held if re.fullmatch(r"lib/(.+/)?upfirdn/(imaging\.so|exr\.so|dicom-codec)", name)}
        self.assertEqual(len(modules), 3)
        self.assertEqual(held - modules, set(FILES))
        self.assertEqual({path.name for path in self.root.iterdir()}, {"usr"})
        for library in ("libtbb", "libpng", "libtiff"):
            self.assertIn(library, self.field("Depends"))
        for library in ("libopencv", "libgdcm", "libopenexr"):
            self.assertNotIn(library, self.field("Depends"))
            self.assertIn(library, self.field("Recommends"))
        sections = subprocess.run(["readelf", "-S", self.usr / "bin/upfirdn"], check=True, capture_output=True, text=True).stdout
        self.assertNotIn(".symtab", sections)

    def test_its_program_finds_its_modules(self):
        self.addCleanup(setattr, support, "PROGRAM", support.PROGRAM)
        support.PROGRAM = str(self.usr / "bin/upfirdn")
        self.assertNotIn("not found", self.succeed("--version").out.decode())
        self.succeed("resize", SCAN, "-o", "small.png", "--scale", "1/4")
        self.succeed("resize", SCAN, "-o", "small.bmp", "--scale", "1/4", "--depth", "8")
        self.assertIn(b"16", self.succeed("info", "small.png").out)


if __name__ == "__main__":
    unittest.main()
