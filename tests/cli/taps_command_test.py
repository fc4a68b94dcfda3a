"""upfirdn taps: what it prints, saves and draws."""

import re
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

from support import ProgramTest


class TapsCommand(ProgramTest):
    def printed(self, *arguments):
        return self.succeed("taps", *arguments).out.decode()

    def test_saved_taps_are_the_ones_used(self):
        x = np.random.default_rng(2).normal(size=(9, 9)).astype(np.float32)
        for name in ("gaussian:sigma=0.7", "lanczos3", "binomial:4", "halfband", "kaiser:atten=50,width=0.5"):
            for save in ("taps.txt", "taps.npy"):
                self.succeed("taps", "--filter", name, "--down", "2", "--save", save)
                np.testing.assert_allclose(self.process("filter", x, "--taps-file", save, "--down", "2"),
                                           self.process("filter", x, "--filter", name, "--down", "2"), rtol=2e-6, atol=2e-6)
                self.path(save).unlink()

    def test_what_is_printed_is_a_taps_file(self):
        for plot in ((), ("--plot", "-")):
            text = self.printed("--filter", "mitchell", "--up", "3", *plot)
            self.path("printed.txt").write_text(text, encoding="utf-8")
            again = self.printed("--taps-file", "printed.txt", "--up", "3")
            taps = [float(line) for line in text.splitlines() if not line.startswith("#")]
            np.testing.assert_allclose([float(line) for line in again.splitlines() if not line.startswith("#")], taps, rtol=1e-12)

    def test_printed(self):
        text = self.printed("--taps", "1,3,3,1")
        for number in ("0.125", "0.375", "group delay: 1.5"):
            self.assertIn(number, text)
        self.fail_with(2, "taps", "--filter", "nope", naming=["nope", "gaussian"])

    def test_figures_of_lanczos3(self):
        text = self.printed("--filter", "lanczos3", "--down", "4")
        figure = lambda pattern: float(re.search(pattern, text).group(1))
        self.assertAlmostEqual(figure(r"-3 dB: ([\d.]+)"), 0.440, delta=0.002)
        self.assertAlmostEqual(figure(r"-6 dB: ([\d.]+)"), 0.500, delta=0.002)
        self.assertAlmostEqual(figure(r"attenuation ([\d.]+) dB"), 38.9, delta=0.2)
        self.assertAlmostEqual(figure(r"largest alias leak: ([\d.]+) %"), 1.14, delta=0.02)
        self.assertAlmostEqual(figure(r"DC ripple: ([\d.]+) %"), 0, delta=1e-9)

    def test_uneven_phases_are_told(self):
        self.assertIn("phase", self.succeed("taps", "--taps", "1,2,3", "--up", "2").err)
        result = self.succeed("taps", "--taps", "1,1", "--up", "4")  # black grid lines
        self.assertIn("DC ripple: 200 %", result.out.decode())
        self.assertIn("phase", result.err)
        self.assertEqual(self.succeed("taps", "--taps", "1,3,3,1", "--up", "2").err, "")

    def test_a_question_mark_lists_filters(self):
        for command in (("taps",), ("resize", "x.png", "-o", "y.png", "--scale", "2")):
            text = self.succeed(*command, "--filter", "?").out.decode()
            for name in ("gaussian", "lanczos3", "kaiser:atten=80,width=0.2", "halfband", "nearest"):
                self.assertIn(name, text)
        for question in ("kaiser?", "kaiser:?"):
            text = self.printed("--filter", question)
            self.assertIn("cutoff", text)
            self.assertNotIn("mitchell", text)

    def test_a_plot_in_svg_is_complete_and_labelled(self):
        self.succeed("taps", "--filter", "lanczos3", "--down", "4", "--plot", "r.svg", "--compare", "gaussian",
                     "--compare", "kaiser:atten=80,width=0.4")
        root = ElementTree.fromstring(self.path("r.svg").read_text(encoding="utf-8"))
        words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("lanczos3", "gaussian", "kaiser:atten=80,width=0.4", "tap", "gain in dB", "folding frequency 0.5",
                     "frequency in cycles per output pixel", "distance from the middle in output pixels"):
            self.assertIn(text, words)
        width, height = float(root.get("width")), float(root.get("height"))
        for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                self.assertTrue(0 <= x <= width and 0 <= y <= height)

    def test_a_plot_in_png_is_a_picture_of_it(self):
        self.succeed("taps", "--filter", "lanczos3", "--down", "4", "--plot", "r.png")
        self.assertIn("1720x1464", self.succeed("info", "r.png").out.decode())
        self.succeed("resize", "r.png", "-o", "r.npy", "--scale", "1")
        picture = np.load(self.path("r.npy"))
        blue = (picture[..., 0] < 60) & (picture[..., 2] > 150)
        self.assertGreater(blue.sum(), 5000)  # the curve
        self.assertTrue((picture[:, :40].min(axis=(1, 2)) < 100).any())  # the upright titles

    def test_the_terminal_plot_has_80_columns(self):
        for language in ("C.UTF-8", "C"):
            text = self.succeed("taps", "--filter", "lanczos3", "--down", "4", "--plot", "-", env={"LC_ALL": language})
            plot = [line for line in text.out.decode().splitlines() if "│" in line or "|" in line]
            self.assertGreater(len(plot), 15)
            self.assertLessEqual(max(map(len, plot)), 80)
            self.assertEqual(language == "C", all(line.isascii() for line in plot))

    def test_other_plots_are_refused(self):
        self.fail_with(2, "taps", "--filter", "box", "--plot", "r.pdf", naming=["r.pdf", ".svg"])
        self.path("m.txt").write_text("1 2\n3 4\n", encoding="utf-8")
        self.fail_with(2, "taps", "--taps-file", "m.txt", "--plot", "m.svg", naming=["--plot"])


if __name__ == "__main__":
    unittest.main()
