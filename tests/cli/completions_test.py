"""The shells complete commands, options, words and files; the man page and each completion know every option of the help."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest
from pathlib import Path

import support
from support import ProgramTest

DOCUMENTS = Path(support.PROGRAM).resolve().parent / "documents"
BASH, ZSH, FISH, MAN = (DOCUMENTS / name for name in ("upfirdn.bash", "_upfirdn", "upfirdn.fish", "upfirdn.1"))
BORDERS = ["constant:", "edge", "mirror", "reflect", "wrap", "zero"]
COMMANDS = ["bench", "compare", "devices", "filter", "info", "resize", "taps"]


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Terminal:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, folder, set_up):
        try:
            self.process, self.screen = pty.fork()
        except OSError as error:
            raise unittest.SkipTest(f"no pseudo-terminals here: {error}") from error
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "PS1": "", "LC_ALL": "C.UTF-8"})
        self.run(set_up + "; echo rea''dy", "ready")

    def run(self, keys, until):
        """Types and reads what comes until it ends in a line `until`."""
        os.write(self.screen, keys.encode() + b"\n")
        text, end = "", time.monotonic() + 60
        while not re.search(rf"^{until}\r?$", text, re.MULTILINE):
            if time.monotonic() > end or not select.select([self.screen], [], [], 60)[0]:
                raise AssertionError(f"{keys!r} left {text!r}")
            text += os.read(self.screen, 65536).decode("utf-8", "replace")
        return text

    def completed(self, line):
        """The words of the command `line`, whose end is completed."""
        text = self.run(line + "\t", "end")
        return [word[1:-1] for word in re.findall(r"^<.*>(?=\r?$)", text, re.MULTILINE)]

    def close(self):
        os.close(self.screen)
        os.waitpid(self.process, 0)


class Completions(ProgramTest):
    def options_of(self, command):
        """Names of the help: {"-o", "--output", ...}."""
        help_text = self.succeed(command, "--help").out.decode()
        names = set()
        for line in help_text.splitlines():
            if re.match(r"  -", line):
                names.update(re.match(r"  (\S+)", line)[1].split(","))
        self.assertIn("--help", names)
        return names

    def bash(self, *words):
        """COMPREPLY with the cursor at the end of the last word."""
        script = f"source {BASH}; COMP_WORDS=(upfirdn \"$@\"); COMP_CWORD=$#; _upfirdn; ((${{#COMPREPLY[@]}})) && printf '%s\\n' \"${{COMPREPLY[@]}}\"; true"
        return sorted(output("bash", "--norc", "-c", script, "-", *words, cwd=self.folder).split())

    def fish(self, line):
        script = f"source {FISH}; complete -C {line!r}"
        return sorted(text.split("\t")[0] for text in output("fish", "--no-config", "-c", script, cwd=self.folder).splitlines())

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(self.bash(""), COMMANDS)
        self.assertEqual(self.bash("re"), ["resize"])
        self.assertEqual(self.bash("--v"), ["--version"])
        self.assertEqual(self.bash("resize", "--bor"), ["--border"])
        for command in COMMANDS:
            self.assertEqual(set(self.bash(command, "-")), self.options_of(command), command)

    def test_bash_completes_words(self):
        self.assertEqual(self.bash("resize", "--act", ""), ["lrelu", "none", "relu"])
        self.assertEqual(self.bash("resize", "in.png", "--border", ""), BORDERS)
        self.assertEqual(self.bash("filter", "--device=cu"), ["--device=cuda", "--device=cuda:all"])
        self.assertEqual(self.bash("filter", "--device", "=", "cu"), ["cuda", "cuda:all"])
        self.assertEqual(self.bash("filter", "--device", "="), ["auto", "cpu", "cuda", "cuda:all"])
        self.assertEqual(self.bash("resize", "--device", "cuda", ":", "a"), ["all"])
        self.assertIn("lanczos3", self.bash("taps", "--filter", "lan"))
        self.assertEqual(self.bash("taps", "--filter", "gaussian", ":"), ["sigma="])
        self.assertIn("png", self.bash("resize", "--format", ""))
        self.assertEqual(self.bash("resize", "--size", ""), [])
        self.assertEqual(self.bash("resize", "--", "--bor"), [])

    def check_files(self, shell):
        for name in ("scan one.png", "scans.txt"):
            self.path(name).touch()
        self.path("folder").mkdir()
        self.path("folder/deep.npy").touch()
        try:
            for line, last in (("upfirdn info scans", "scans.txt"), ("upfirdn info folder/d", "folder/deep.npy"),
                               ("upfirdn resize x -o scan\\ ", "scan one.png"), ("upfirdn taps --save sca", "scan"),
                               ("upfirdn taps --taps-file=scans", "--taps-file=scans.txt"), ("upfirdn taps --up sca", "sca"),
                               ("upfirdn resize -- scans", "scans.txt"), ("upfirdn res", "resize"),
                               ("upfirdn resize --bord", "--border"), ("upfirdn resize --border=mir", "--border=mirror"),
                               ("upfirdn resize --border const", "constant:"), ("upfirdn taps --filter=halfband:at", "--filter=halfband:atten=")):
                with self.subTest(line=line):
                    self.assertEqual(shell.completed(line)[-1], last)
        finally:
            shell.close()

    SHOW = "upfirdn() { printf '<%s>\\n' \"$@\"; echo end; }"

    def test_bash_on_a_terminal(self):
        self.check_files(Terminal(["bash", "--norc", "--noprofile", "-i"], self.folder, f"source {BASH}; {self.SHOW}"))

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_on_a_terminal(self):
        output("zsh", "-n", ZSH)
        set_up = f"fpath=({DOCUMENTS} $fpath); autoload -U compinit; compinit -u -D; {self.SHOW}"
        self.check_files(Terminal(["zsh", "-f", "-i"], self.folder, set_up))

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        output("fish", "--no-execute", FISH)
        self.path("scans.txt").touch()
        self.assertEqual(self.fish("upfirdn "), COMMANDS)
        self.assertEqual(self.fish("upfirdn resize --bor"), ["--border"])
        self.assertEqual(self.fish("upfirdn resize x.png --border "), BORDERS)
        self.assertEqual(self.fish("upfirdn filter --device=cu"), ["--device=cuda", "--device=cuda:all"])
        self.assertEqual(self.fish("upfirdn info sca"), ["scans.txt"])
        self.assertEqual(self.fish("upfirdn taps --taps-file sca"), ["scans.txt"])
        self.assertEqual(self.fish("upfirdn taps --up sca"), [])
        self.assertEqual(self.fish("upfirdn devices "), [])

    def test_each_document_knows_every_option(self):
        page = MAN.read_text().replace("\\-", "-")
        zsh, fish = ZSH.read_text(), FISH.read_text()
        for command in COMMANDS:
            in_page = re.search(rf"^\.SH UPFIRDN {command}\n.*?(?=^\.SH )", page, re.MULTILINE | re.DOTALL)[0]
            in_zsh = re.search(rf"^_upfirdn_{command}\(\) .*?^}}", zsh, re.MULTILINE | re.DOTALL)[0]
            in_fish = "".join(line + "\n" for line in fish.splitlines() if f"__upfirdn_command {command}'" in line)
            for name in self.options_of(command):
                self.assertIn(f"\\fB{name}\\fR", in_page)
                self.assertRegex(in_zsh, rf"{re.escape(name)}[=+]?\[")
                self.assertIn(f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ", in_fish)

    @unittest.skipUnless(shutil.which("groff") and shutil.which("mandoc"), "needs groff and mandoc")
    def test_the_man_page_has_no_faults(self):
        for command in (["groff", "-man", "-ww", "-Tutf8", "-z"], ["mandoc", "-Tlint", "-Wwarning"]):
            done = subprocess.run([*command, MAN], capture_output=True, text=True, check=False)
            faults = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
            self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
