"""The sample pictures are what their generator draws."""

import subprocess
import sys
import unittest

import support


class Phantom(unittest.TestCase):
    def test_the_generator_draws_the_files_beside_it(self):
        done = subprocess.run([sys.executable, "-B", support.REPOSITORY / "data" / "make_phantom.py", "--check"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
