"""Every block of docs/pipelines.md runs as written, and the recipes do what they say."""

import os
import re
import shutil
import socket
import subprocess
import time
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


class Pipelines(ProgramTest):
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


@unittest.skipUnless(shutil.which("slurmctld") and os.geteuid() == 0, "needs root and Slurm (slurmctld, slurmd, slurm-client)")
class Slurm(Pipelines):
    test_every_block_runs = test_the_kubernetes_manifest_is_an_indexed_job_whose_shards_are_complete = None

    def setUp(self):
        super().setUp()
        host, folder = socket.gethostname().split(".")[0], self.folder
        ports = [self.free_port(), self.free_port()]
        self.path("slurm.conf").write_text("\n".join([
            "ClusterName=one", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[0]}", f"SlurmdPort={ports[1]}",
            "AuthType=auth/none", "CredType=cred/none", "MpiDefault=none", "ProctrackType=proctrack/pgid", "TaskPlugin=task/none",
            "SlurmUser=root", f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={folder}/spool", f"SlurmctldPidFile={folder}/ctld.pid",
            f"SlurmdPidFile={folder}/d.pid", "SchedulerType=sched/builtin", "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "ReturnToService=2", "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN",
            "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP", ""]))
        self.environment["SLURM_CONF"] = str(self.path("slurm.conf"))
        for daemon in ("slurmctld", "slurmd"):
            process = subprocess.Popen([daemon, "-D"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        for _ in range(100):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment, capture_output=True, text=True, check=False)
            if state.stdout.strip() == "idle":
                return
            time.sleep(0.3)
        self.skipTest("Slurm does not start here: " + state.stderr)

    def free_port(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            return listener.getsockname()[1]

    def test_the_slurm_array_does_all_shards(self):
        [text] = [text for needs, text in blocks() if needs == "slurm"]
        self.shell(text)
        self.assertEqual(self.files("slurm_out"), self.files("scans"))
        self.assertEqual({self.path(f"failed-{i}.txt").read_text() for i in range(1, 17)}, {""})


if __name__ == "__main__":
    unittest.main()
