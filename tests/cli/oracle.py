"""The definition in float64, followed literally and slowly: the operator, the resize bank, the error bound."""

import math
from fractions import Fraction

import numpy as np

EPSILON = 2.0 ** -24


def index(i, n, border):
    """Source index of position i under the border rule; None: outside (zero and constant)."""
    if 0 <= i < n:
        return i
    if border == "edge":
        return min(max(i, 0), n - 1)
    if border == "wrap":
        return i % n
    if border == "reflect":
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if border == "mirror":
        period = max(2 * n - 2, 1)
        i %= period
        return i if i < n else period - i
    return None


def border_value(border):
    return float(border.split(":")[1]) if border.startswith("constant") else 0.0


def apply_axis(x, bank, positions, border, outside):
    """Along axis 0: output o is the sum of bank[o][m] * x[positions[o] + m]."""
    kind = border.split(":")[0]
    out = np.zeros((len(positions), *x.shape[1:]))
    for o, (taps, start) in enumerate(zip(bank, positions)):
        for m, tap in enumerate(taps):
            at = index(start + m, x.shape[0], kind)
            if at is not None:
                out[o] += tap * x[at]
            elif kind == "constant":
                out[o] += tap * outside  # a number, or one for each place along the other axis
    return out


def operator_axis(n, taps, up, down, p0, p1, flip=False):
    """(taps of each output, first source position of each output) of one axis of upfirdn."""
    taps = np.asarray(taps, float)
    g = taps if flip else taps[::-1]
    outputs = (n * up + p0 + p1 - len(taps)) // down + 1
    bank, positions = [], []
    for o in range(outputs):
        b = o * down - p0
        i0 = -((-b) // up)
        bank.append(g[i0 * up - b::up])
        positions.append(i0)
    return bank, positions


def normalised(taps, up):
    taps = np.asarray(taps, float)
    return taps / taps.sum() * up


def apply_2d(x, axis_x, axis_y, border, vertical_first):
    """Both axes on HxW or HxWxC; the outside of the second axis is the first pass applied to V."""
    x = np.asarray(x, float)
    value = border_value(border)
    (first, a), (second, b) = ((axis_y, 0), (axis_x, 1)) if vertical_first else ((axis_x, 1), (axis_y, 0))
    x = np.moveaxis(apply_axis(np.moveaxis(x, a, 0), *first, border, value), 0, a)
    line = np.array([value * float(np.sum(taps)) for taps in first[0]])
    line = line.reshape(-1, *[1] * (x.ndim - 2))
    return np.moveaxis(apply_axis(np.moveaxis(x, b, 0), *second, border, line), 0, b)


def sinc(x):
    return 0.0 if x != 0 and x == int(x) else float(np.sinc(float(x)))


def cubic(b, c):
    def kernel(x):
        x = abs(float(x))
        if x < 1:
            return ((12 - 9 * b - 6 * c) * x ** 3 + (-18 + 12 * b + 6 * c) * x ** 2 + 6 - 2 * b) / 6
        if x < 2:
            return ((-b - 6 * c) * x ** 3 + (6 * b + 30 * c) * x ** 2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
        return 0.0
    return kernel


def kernel(spec):
    """(support as an exact fraction, K) of a filter as written on the command line; not nearest, not binomial."""
    name, _, parameters = spec.partition(":")
    values = [p.split("=")[-1] for p in parameters.split(",")] if parameters else []
    if name == "gaussian":
        sigma = Fraction(values[0]) if values else Fraction(1, 2)
        return 4 * sigma, lambda x: math.exp(-float(x) ** 2 / (2 * float(sigma) ** 2))
    if name == "box":
        return Fraction(1, 2), lambda x: 0.5 if abs(x) == Fraction(1, 2) else 1.0
    if name == "triangle":
        return Fraction(1), lambda x: float(1 - abs(x))
    if name in ("catmullrom", "mitchell", "cubic"):
        b, c = {"catmullrom": (0.0, 0.5), "mitchell": (1 / 3, 1 / 3)}.get(name) or map(float, values)
        return Fraction(2), cubic(b, c)
    if name.startswith("lanczos"):
        a = Fraction(values[0]) if values else Fraction(name[7:] or 3)
        return a, lambda x: 0.0 if abs(x) == a else sinc(x) * sinc(x / a)
    if name == "kaiser":
        beta, a = (float(values[0]), Fraction(values[1])) if values else (8.0, Fraction(4))
        window = lambda x: np.i0(beta * math.sqrt(max(0.0, 1 - float(x / a) ** 2))) / np.i0(beta)
        return a, lambda x: sinc(x) * float(window(x))
    raise ValueError(spec)


def resize_axis(n, out, ratio, spec, shift=Fraction(0)):
    """(weights, first positions) of every output for a pitch `ratio` in input pixels per output pixel."""
    ratio = Fraction(ratio)
    if ratio == 1 and shift == 0 and spec != "nearest":
        return [np.ones(1)] * out, list(range(out))
    if spec == "nearest":
        return [np.ones(1)] * out, [math.floor((2 * o + 1) * ratio / 2) for o in range(out)]
    support, weight = kernel(spec)
    scale = max(ratio, Fraction(1))
    bank, positions = [], []
    for o in range(out):
        centre = (o + Fraction(1, 2)) * ratio - Fraction(1, 2) + shift
        first, last = math.ceil(centre - support * scale), math.floor(centre + support * scale)
        taps = np.array([weight((i - centre) / scale) for i in range(first, last + 1)])
        bank.append(taps / taps.sum())
        positions.append(first)
    return bank, positions


def bound(*axes, largest, gain=1.0, act_gain=1.0, epilogue_maxval=None):
    """E of the error bound: axes as (bank, positions), or one matrix bank as a direct 2-D FIR."""
    terms, product = 4, 1.0
    for bank, _ in axes:
        longest = max((len(taps) for taps in bank), default=1)
        terms += min(longest, 64) + min(math.ceil(longest / 64), 64) + math.ceil(longest / 4096)
        product *= max(1.0, max((float(np.abs(taps).sum()) for taps in bank), default=1.0))
    error = EPSILON * terms * product * largest * abs(gain) * act_gain
    return error + (2.0 ** -21 * epilogue_maxval * act_gain if epilogue_maxval else 0.0)
