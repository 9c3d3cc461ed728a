"""Kernels in the text form for every operation of one type: operations.py TYPE. Each trapping operation is a kernel of
its own; the others share one, which leaves all results of a thread in one array."""
import sys

INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
SCALARS = INTEGERS + ["f32", "f64"]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]


class Kernel:
    def __init__(self, name, parameters):
        self.line = 0
        self.lines = ["kernel @%s(%s)" % (name, parameters), "  source \"%s.ssp\" 1:1" % name, "  group 64", "{"]
        self.add("  %g = global_id x")

    def add(self, text):
        self.line += 1
        self.lines.append("%s !%d:%d" % (text, self.line, 3 + self.line % 7))

    def load(self, label, buffer):
        self.add("  %%n_%s = length %s" % (label, buffer))
        self.add("  check_index %%g, %%n_%s" % label)
        self.add("  %%%s = load %s[%%g]" % (label, buffer))

    def store(self, buffer, values):
        self.add("  %%n_%s = length %s" % (buffer, buffer))
        self.add("  check_index %%g, %%n_%s" % buffer)
        for n, value in enumerate(values):
            self.add("  %%at_%s_%d = const i64 %d" % (buffer, n, n))
            self.add("  store %s[%%g][%%at_%s_%d], %%%s" % (buffer, buffer, n, value))

    def end(self):
        print("\n".join(self.lines + ["}", ""]))


def pure(t, operations):
    """operations: (op, arity)."""
    k = Kernel("%s_pure" % t, "a: &[%s], b: &[%s], s: %s, out: &mut [[%d x %s]], truth: &mut [[%d x bool]]"
               % (t, t, t, 2 * len(operations) + 1, t, 2 * len(COMPARE)))
    k.load("x", "a")
    k.load("y", "b")
    k.add("  %s = parameter s")
    values, truths = [], []
    for y in "y", "s":
        for op, arity in operations:
            values.append("%s_%s" % (op, y))
            k.add("  %%%s = %s %%x%s" % (values[-1], op, ", %" + y if arity == 2 else ""))
        for op in COMPARE:
            truths.append("%s_%s" % (op, y))
            k.add("  %%%s = %s %%x, %%%s" % (truths[-1], op, y))
    k.add("  %chosen = select %lt_y, %x, %y")
    k.store("out", values + ["chosen"])
    k.store("truth", truths)
    k.end()


def trapping(t, op, arity):
    k = Kernel("%s_%s" % (t, op), "a: &[%s], b: &[%s], s: %s, out: &mut [[2 x %s]]" % (t, t, t, t))
    k.load("x", "a")
    k.load("y", "b")
    k.add("  %s = parameter s")
    for y in "y", "s":
        k.add("  %%r%s = %s %%x%s" % (y, op, ", %" + y if arity == 2 else ""))
        if arity == 1:
            k.add("  %zero = const " + t + " 0")
            k.add("  %rs = iadd %ry, %zero")
            break
    k.store("out", ["ry", "rs"])
    k.end()


def conversions(t):
    for op in "convert", "convert_trap":
        targets = [u for u in SCALARS if u != t]
        if t in ("f32", "f64"):
            targets = ["f64" if t == "f32" else "f32"]
        if op == "convert_trap":
            targets = [u for u in targets if u in INTEGERS and t in INTEGERS]
        for u in targets:
            k = Kernel("%s_%s_%s" % (t, op, u), "a: &[%s], out: &mut [[1 x %s]]" % (t, u))
            k.load("x", "a")
            k.add("  %%r = %s %s %%x" % (op, u))
            k.store("out", ["r"])
            k.end()


def from_bool():
    for u in "f32", "f64":
        k = Kernel("bool_convert_%s" % u, "a: &[bool], b: bool, out: &mut [[2 x %s]]" % u)
        k.load("x", "a")
        k.add("  %p = parameter b")
        for n, op in enumerate(("band", "bor", "bxor")):
            k.add("  %%t%d = %s %%x, %%p" % (n, op))
        k.add("  %t3 = bnot %t2")
        k.add("  %t4 = band %t1, %t3")
        k.add("  %t5 = eq %t4, %t0")
        k.add("  %%r = convert %s %%x" % u)
        k.add("  %%r2 = convert %s %%t5" % u)
        k.store("out", ["r", "r2"])
        k.end()


def main(t):
    if t == "bool":
        from_bool()
    elif t in INTEGERS:
        pure(t, [("iadd", 2), ("isub", 2), ("imul", 2), ("ineg", 1), ("band", 2), ("bor", 2), ("bxor", 2), ("bnot", 1),
                 ("ishl", 2), ("ishr", 2)])
        for op in "iadd_trap", "isub_trap", "imul_trap", "idiv_trap", "irem_trap":
            trapping(t, op, 2)
        trapping(t, "ineg_trap", 1)
        if t[0] == "i":
            trapping(t, "iabs_trap", 1)
        conversions(t)
    else:
        pure(t, [("fadd", 2), ("fsub", 2), ("fmul", 2), ("fdiv", 2), ("fneg", 1), ("fabs", 1), ("fsqrt", 1),
                 ("ffloor", 1), ("fceil", 1), ("fround", 1)])
        conversions(t)


main(sys.argv[1])
