"""The Slurm recipe of docs/pipelines.md runs on a Slurm of one node, which the test starts."""

import os
import shutil
import socket
import subprocess
import time
import unittest

import pipelines_test


@unittest.skipUnless(shutil.which("slurmctld") and os.geteuid() == 0, "needs root and Slurm (slurmctld, slurmd, slurm-client)")
class Slurm(pipelines_test.RecipeTest):
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
        [text] = [text for needs, text in pipelines_test.blocks() if needs == "slurm"]
        self.shell(text)
        self.assertEqual(self.files("slurm_out"), self.files("scans"))
        self.assertEqual({self.path(f"failed-{i}.txt").read_text() for i in range(1, 17)}, {""})


if __name__ == "__main__":
    unittest.main()
