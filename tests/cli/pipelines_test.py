"""Every block of docs/pipelines.md runs as written, and the recipes do what they say."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import numpy as np
import yaml

import support
from dicom_phantom import phantom
from support import ProgramTest

DOCS = support.REPOSITORY / "docs"
BLOCK = re.compile(r"(?:<!-- needs (?P<needs>\w+):[^\n]*-->\n)?```sh\n(?P<text>.*?)```", re.S)


def blocks():
    """[(what it needs or None, text)] of the ```sh blocks."""
    return [(found["needs"], found["text"]) for found in BLOCK.finditer((DOCS / "pipelines.md").read_text())]


class RecipeTest(ProgramTest):
    """A folder as the page tells, and a shell in it."""

    def setUp(self):
        super().setUp()
        self.path("scans/more").mkdir(parents=True)
        for kind in ("png", "tif", "pgm"):
            shutil.copy(support.REPOSITORY / "data" / f"xray.{kind}", self.path(f"scans/{kind}.{kind}"))
        shutil.copy(support.REPOSITORY / "data" / "xray.png", self.path("scans/more/again.png"))
        self.path("scan.dcm").write_bytes(phantom()[0])
        shutil.copytree(DOCS / "recipes", self.path("recipes"))
        self.path("bin").mkdir()
        self.path("bin/upfirdn").symlink_to(Path(support.PROGRAM).resolve())
        self.environment = {**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"}

    def shell(self, text, **more):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=self.folder, env={**self.environment, **more}, check=False,
                              capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr.decode()}")
        return done

    def files(self, folder):
        root = self.path(folder)
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


class Pipelines(RecipeTest):
    def test_every_block_runs(self):
        ran = 0
        for needs, text in blocks():
            if needs is None:
                self.shell(text)
                ran += 1
        self.assertGreaterEqual(ran, 9)
        inputs = self.files("scans")
        for folder in ("small", "quarter", "shards"):
            self.assertEqual(self.files(folder), inputs, folder)
        for name in inputs:
            self.assertEqual(self.path("shards").joinpath(name).read_bytes(), self.path("small").joinpath(name).read_bytes())
        self.assertEqual(self.files("thumbs"), ["png.jpg"])
        self.assertEqual(self.path("stream.pgm").read_bytes().count(b"P5\n"), 2)
        arrays = [np.load(path) for path in self.path("arrays").rglob("*.npy")]
        self.assertEqual({(array.shape, array.dtype.name) for array in arrays}, {((256, 256), "float32")})

    def test_the_kubernetes_manifest_is_an_indexed_job_whose_shards_are_complete(self):
        job = yaml.safe_load((DOCS / "recipes/kubernetes.yaml").read_text())
        self.assertEqual((job["apiVersion"], job["kind"], job["spec"]["completionMode"]), ("batch/v1", "Job", "Indexed"))
        pod = job["spec"]["template"]["spec"]
        container = pod["containers"][0]
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})
        shell, flag, script = container["command"]
        self.assertEqual((shell, flag), ("/bin/sh", "-c"))
        script = script.replace("/data/in", "scans").replace("/data/", "./")
        for index in range(job["spec"]["completions"]):
            self.shell(script, JOB_COMPLETION_INDEX=str(index))
        self.assertEqual(self.files("out"), self.files("scans"))


if __name__ == "__main__":
    unittest.main()
