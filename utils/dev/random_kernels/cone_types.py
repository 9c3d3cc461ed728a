"""Types of random Cone programs, literals of them, and the values of data."""
import math
import struct

INTEGERS = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "u32": (0, 2**32 - 1),
            "i32": (-2**31, 2**31 - 1), "u64": (0, 2**64 - 1), "i64": (-2**63, 2**63 - 1)}
FLOATS = ("f32", "f64")
NUMBERS = tuple(INTEGERS) + FLOATS
SCALARS = NUMBERS + ("bool",)
DATA = ("u32", "i32", "f32")  # what a buffer may hold
WIDTH = {"u8": 8, "i8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64, "f32": 32, "f64": 64}

REALS = {"f32": [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -3.5, 0.1, 7.0, 100.25, 16777216.0, 16777215.0, 8388607.5, 1e10, -1e30, 3.4028234e38,
                 1.1754944e-38, 1e-40, -1.4e-45, 2147483648.0, 4294967296.0, 0.33333334],
         "f64": [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 0.1, 7.0, 1e16, 9007199254740993.0, 1e300, -1e-300, 2147483648.5, 1.8446744073709552e19,
                 5e-324, 0.3333333333333333]}
WORDS = [0x7FC00000, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F800000, 0xBF000000,
         0x4B800000, 0x4F000000, 0xCF000000, 0x4F800000, 0x40490FDB, 0]


class Struct:
    """fields: pairs of a name and a type; methods: Function."""

    def __init__(self, name, fields, traits=()):
        self.name, self.fields, self.traits, self.methods = name, fields, traits, []
        self.operators = {}

    def __str__(self):
        return self.name


class Array:
    def __init__(self, of, count):
        self.of, self.count = of, count

    def __str__(self):
        return f"Array[{self.of}, {self.count}]"

    def __eq__(self, other):
        return isinstance(other, Array) and (self.of, self.count) == (other.of, other.count)

    def __hash__(self):
        return hash((self.of, self.count))


class Slice:
    """least: how many elements it has at least."""

    def __init__(self, of, mutable=False, least=0):
        self.of, self.mutable, self.least = of, mutable, least

    def __str__(self):
        return f"&{'mut ' if self.mutable else ''}Array[{self.of}]"


def words_of(type):
    """The types of the words of a value in memory."""
    if isinstance(type, Array):
        return words_of(type.of) * type.count
    return [w for _, t in type.fields for w in words_of(t)] if isinstance(type, Struct) else [type]


def rounded(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def real_text(value, type):
    text = repr(rounded(value) if type == "f32" else value)
    return text if "." in text or "e" in text else text + ".0"


def random_integer(r, type):
    lo, hi = INTEGERS[type]
    roll = r.random()
    if roll < 0.55:
        return r.randint(max(lo, -9), min(hi, 17))
    if roll < 0.85:
        return r.choice([v for v in (lo, lo + 1, hi, hi - 1, 0, 1, -1, 2, 7, 31, 32, 63, 64, 127, 128, 255, 256, 65535, 2**24, 2**31, 2**32) if lo <= v <= hi])
    return r.randint(lo, hi)


def random_literal(r, type):
    """Its text; whether it begins with a sign."""
    if type == "bool":
        return r.choice(["true", "false"])
    if type in INTEGERS:
        value = random_integer(r, type)
        if value > 9 and r.random() < 0.2:
            return f"0x{value:X}{type}"
        return f"{value}{type}"
    return real_text(r.choice(REALS[type]), type) + type


def random_word(r, type, calm):
    """A 32-bit word of data."""
    if type == "f32":
        if calm or r.random() < 0.5:
            value = r.choice([r.uniform(-10, 10), r.uniform(-1000, 1000), float(r.randint(-20, 20)), r.choice([0.5, 1.5, 1.0, 2.0])])
            return struct.unpack("<I", struct.pack("<f", value))[0]
        return r.choice(WORDS) if r.random() < 0.9 else r.getrandbits(32) & 0xFF7FFFFF
    return random_integer(r, type) & 0xFFFFFFFF


def number_of_word(word, type):
    """As --set takes it."""
    if type == "u32":
        return str(word)
    if type == "i32":
        return str(word - 2**32 if word >= 2**31 else word)
    value = struct.unpack("<f", struct.pack("<I", word))[0]
    return "nan" if math.isnan(value) else repr(value)
