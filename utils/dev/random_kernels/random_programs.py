"""Random programs: helpers, kernels, and a `main` that makes buffers and lists, launches, and prints all of them.

One seed is one program. About a fifth of them trap: at a thread, or in one of the host's checks (spec/sspur.md 3.2)."""
import random
import re

from random_helpers import random_helper
from random_kernel import Kernel
from trees import FLOATS, INTEGERS, Node, block, float_text

REALS = ["nan()", "inf()", "0.0 - inf()", "-0.0", "0.0", "1.0", "-1.0", "0.5", "2.5", "-3.5", "0.1", "1.0e-40", "-1.0e-45", "1.2e-38",
         "16777215.0", "16777216.0", "3.0e38", "-3.4028234663852886e38", "1.0e300", "5.0e-324", "2147483648.0", "0.3333333333333333",
         "7.0", "100.25", "-1.0e10", "4.9e-39"]
PLAIN_REALS = ["0.0", "1.0", "-1.0", "0.5", "2.5", "-3.5", "0.1", "7.0", "100.25", "3.0", "8.0", "1.7", "-0.3", "3.14159", "1234.567"]
REAL_STEPS = ["0.5", "0.1", "1.0", "-3.0", "1.0e-39"]
STRINGS = ["", "a", r"tab\t", r"\"quoted\"", "ä"]


class Data:
    """A buffer or a list: what it holds is in lo..hi before and after every launch."""

    def __init__(self, name, type, length, lo, hi, device):
        self.name, self.type, self.length, self.lo, self.hi, self.device = name, type, length, lo, hi, device

    def values(self):
        """As a list."""
        return f"{self.name}.to_list" if self.device else self.name

    def suits(self, p):
        return (self.type, self.length, self.lo, self.hi) == (p.type, p.length, p.lo, p.hi)


class Program:
    def __init__(self, seed, small):
        self.random = r = random.Random(f"small {seed}" if small else seed)
        self.seed = seed
        self.spelling = random.Random(f"spelling {seed}")  # of its own: how a program is written changes nothing else in it
        roll = r.random()
        self.traps = None
        if roll < 0.15:
            self.traps = "thread"
        elif roll < 0.22:
            self.traps = "host"
        wild = r.choice([0.02, 0.1]) if roll > 0.96 else 0.0
        self.helpers = []
        for i in range(r.choice([0, 0, 1, 2] if small else [0, 1, 2, 3, 4, 10])):
            self.helpers.append(random_helper(r, i, self.helpers))
        count = 1 if small else r.choice([1, 2, 3, 3, 4])
        self.kernels = [Kernel(r, i, self.helpers, wild, self.traps == "thread" and i == count - 1) for i in range(count)]
        self.data = []
        self.lines = []
        self.functions = []
        self.whiles = False
        self.edges = {}
        self.tree = self.make()

    # ---- Data ----

    def function(self, body):
        """A function of `i`, as a lambda or with each `i` as a `_`."""
        return re.sub(r"\bi\b", "_", body) if self.spelling.random() < 0.5 else f"i => {body}"

    def numbers(self, type, length, lo, hi):
        """An expression of a list."""
        r = self.random
        if type in FLOATS:
            if r.random() < 0.3:
                return f"(0..{length}).map({self.function(f'(i * {r.randint(1, 40)} % {r.randint(2, 60)}).to_f64 * {r.choice(REAL_STEPS)}')})"
            values = r.choices(REALS if r.random() < 0.6 else PLAIN_REALS, k=r.randint(1, 9))
        else:
            if r.random() < 0.3 and hi - lo < 2**40:
                return f"(0..{length}).map({self.function(f'i * {r.randint(1, 9999)} % {hi - lo + 1} + {lo}')})".replace("+ -", "- ")
            near = [v for v in (lo, lo + 1, hi, hi - 1, 0, 1, -1, 2, 3, 7, 31, 32, 63, 64) if lo <= v <= hi]
            values = [str(r.choice(near) if r.random() < 0.7 else r.randint(lo, hi)) for _ in range(r.randint(1, 9))]
        text = f"e{len(self.edges)}"
        self.edges[text] = len(values)
        self.lines.append(Node("text", value=f"{text} = [{', '.join(values)}]"))
        index = r.choice(["i", "(i * 7)", "(i * i)"])
        return f"(0..{length}).map({self.function(f'{text}[{index} % {len(values)}]')})"

    def new_data(self, p, device):
        text = f"{'b' if device else 'l'}{len(self.data)}"
        d = Data(text, p.type, p.length, p.lo, p.hi, device)
        numbers = self.numbers(p.type, p.length, p.lo, p.hi)
        made = f"{text} = dev_{p.type.lower()}({numbers})" if device else f"var {text} = {numbers}"
        self.lines.append(Node("text", value=made))
        self.data.append(d)
        return d

    def data_for(self, p, used, device):
        found = [d for d in self.data if d.suits(p) and d.device == device and d not in used]
        reusable = [d for d in self.data if d in used and d.suits(p) and d.device == device and not used[d]] if not p.mutable else []
        if reusable and self.random.random() < 0.2:
            return self.random.choice(reusable)
        return self.random.choice(found) if found and self.random.random() < 0.85 else self.new_data(p, device)

    # ---- Launches ----

    def scalar(self, p):
        r = self.random
        if p.choices:
            return str(r.choice(p.choices))
        if p.type == "Bool":
            return r.choice(["true", "false"])
        if p.type in FLOATS:
            return r.choice(REALS if r.random() < 0.5 else PLAIN_REALS)
        near = [v for v in (p.lo, p.hi, 0, 1, 2, p.hi - 1) if p.lo <= v <= p.hi]
        return str(r.choice(near) if r.random() < 0.6 else r.randint(p.lo, p.hi))

    def launch(self, k, more=None, taken=None):
        """more: a parameter's name and the argument that it gets; taken: data that no other gets."""
        r = self.random
        used = {taken: True} if taken else {}
        arguments = []
        devices = r.random()
        for p in k.parameters:
            if more and more[0] == p.name:
                arguments.append(more[1])
            elif p.length is None:
                arguments.append(self.scalar(p))
            else:
                d = self.data_for(p, used, devices < 0.75 or devices < 0.9 and r.random() < 0.5)
                used[d] = used.get(d, False) or p.mutable
                arguments.append(f"&{'mut ' if p.mutable else ''}{d.name}")
        return Node("launch", value=k.name, kids=[Node("name", value=a) for a in arguments])

    def show(self, d):
        return Node("text", value=f'log("{d.name} {{{d.values()}}}")')

    # ---- What the host does around launches ----

    def guarded(self):
        """Launches in a branch that what is in a buffer decides."""
        r = self.random
        launches = [self.launch(r.choice(self.kernels)) for _ in range(r.randint(1, 2))]
        found = [d for d in self.data if d.length]
        condition = f"{len(self.lines)} % 3 > {r.randrange(2)}"
        if found:
            d = r.choice(found)
            element = f"{d.values()}[{r.randrange(d.length)}]"
            condition = f"{element} {r.choice(['>', '<=', '=='])} {'1.0' if d.type in FLOATS else max(d.lo, min(d.hi, 1))}"
        kids = [block(launches)] + ([block([self.launch(r.choice(self.kernels))])] if r.random() < 0.5 else [])
        return [Node("when", None, False, [Node("name", "Bool", condition)] + kids)]

    def repeated(self):
        r = self.random
        launches = [self.launch(r.choice(self.kernels)) for _ in range(r.randint(1, 2))]
        self.loops += 1
        self.whiles = True
        return [Node("while", None, (f"n{self.loops}", r.choice([1, 2, 4])), [block(launches)])]

    def called(self):
        """A launch of buffers alone, in a function that gets them."""
        launch = self.launch(self.random.choice(self.kernels))
        given = {a.value.removeprefix("&").removeprefix("mut ") for a in launch.kids if a.value.startswith("&")}
        buffers = [d for d in self.data if d.name in given]
        if len(buffers) < len(given) or not all(d.device for d in buffers):
            return [launch]
        own = f"f{len(self.functions)}"
        parameters = ", ".join(f"{d.name}: DevBuf[{d.type}]" for d in buffers)
        self.functions.append(Node("function", value={"head": f"fn {own}({parameters}) ! dev", "name": own}, kids=[block([launch])]))
        return [Node("launch", value=own, kids=[Node("name", value=d.name) for d in buffers])] * self.random.randint(1, 2)

    def said(self):
        """Strings, and elements that may not be there."""
        r = self.random
        lines = [f'log("step {len(self.lines)}")']
        if r.random() < 0.5:
            own = f"s{len(self.lines)}"
            text = r.choice(STRINGS)
            lines = [f'{own} = "{text}{{{r.randint(0, 9)} + 1}}"', f'log("{{{own} + {own}}} {{{own}.len}}")']
        elif self.data:
            d = r.choice(self.data)
            missing = "0.25" if d.type in FLOATS else "1"
            lines = [f'log("{{{d.values()}.first}} {{{d.values()}.get({r.choice([0, 1, d.length])}).is_some}} {{{d.values()}.last.or({missing})}}")']
        return [Node("text", value=line) for line in lines]

    def step(self):
        r = self.random
        kind = r.randrange(17)
        if kind > 11:
            return r.choice([self.guarded, self.repeated, self.called, self.called, self.said])()
        if kind == 0 and self.data:
            return [self.show(r.choice(self.data))]
        if kind == 1:
            return [Node("text", value=r.choice(["gpu_sync()", f'log("step {len(self.lines)}")']))]
        if kind <= 3:
            launches = [self.launch(r.choice(self.kernels)) for _ in range(r.randint(1, 3))]
            rounds = r.choice([2, 3, 5] + ([70, 130] if all(k.threads < 70 for k in self.kernels) and r.random() < 0.1 else []))
            self.loops += 1
            return [Node("for", None, f"r{self.loops}", [Node("int", value=0), Node("int", value=rounds), block(launches)])]
        return [self.launch(r.choice(self.kernels))]

    def make(self):
        r = self.random
        self.loops = 0
        calm = self.kernels[:-1] if self.traps == "thread" else self.kernels
        every, self.kernels = self.kernels, calm or self.kernels
        for k in calm:
            self.add([self.launch(k)])
        for _ in range(r.randint(0, 4) if calm else 0):
            self.add(self.step())
        self.kernels = every
        if self.traps == "thread":
            self.add([self.launch(every[-1])])
            for _ in range(r.randint(0, 3)):
                self.add(self.step())
        if self.traps == "host":
            self.add(self.host_trap())
        for d in self.data:
            self.lines.append(self.show(d))
            if d.type in INTEGERS:
                self.lines.append(Node("text", value=f'log("{d.name} {{{d.values()}.fold(7, (a, x) => (a * 31 + x % 1000003) % 1000000007)}}")'))
        effects = "dev, log, div" if self.whiles else "dev, log"
        main = Node("function", value={"head": f"fn main() ! {effects}", "name": "main"}, kids=[block(self.lines)])
        return Node("program", kids=[h.node for h in self.helpers] + [k.node for k in every] + self.functions + self.tests() + [main])

    def tests(self):
        r = self.random
        if r.random() > 0.1:
            return []
        sums = f"(0..{r.randint(0, 9)}).sum {r.choice(['==', '<'])} {r.randint(0, 40)}"
        return [Node("test", value={"name": f"t{n}", "text": sums}) for n in range(r.randint(1, 2))]

    def add(self, nodes):
        """Data is made at the top level, before what uses it."""
        self.lines += nodes

    # ---- Traps of the host's checks ----

    def host_trap(self):
        r = self.random
        k = r.choice(self.kernels)
        ways = []
        for p in k.parameters:
            if p.type in ("I32", "U32"):
                beyond = r.choice([2**32, -(2**31) - 1, 2**40, -1 if p.type == "U32" else 2**31])
                if p.length is None:
                    ways.append((p.name, str(beyond)))
                elif not p.mutable and p.length:
                    at = r.randrange(p.length)
                    ways.append((p.name, f"&(0..{p.length}).map({self.function(f'if i == {at} then {beyond} else 1')})"))
            if p.length is not None and not p.mutable:
                values = "0.5" if p.type in FLOATS else "1"
                ways.append((p.name, f"&(0..{r.choice([0, 1, p.length // 2])}).map(i => {values})"))
            if p.choices and k.grouped and max(k.group) > 1:
                ways.append((p.name, str(max(p.choices) - 1)))
            elif p.choices and k.one_axis and not k.grouped:
                ways.append((p.name, str(max(p.choices) + r.choice([1, 7]))))
        aliases = [(p, q) for p in k.parameters for q in k.parameters if p is not q and p.mutable and p.length == q.length and p.type == q.type
                   and (p.lo, p.hi) == (q.lo, q.hi)]
        if aliases and r.random() < 0.5:
            return self.alias(k, *r.choice(aliases))
        if not ways:
            return [Node("text", value='log("{[1, 2, 3][5]}")')]
        return [self.launch(k, r.choice(ways))]

    def alias(self, k, p, q):
        d = self.new_data(p, True)
        self.lines.append(Node("text", value=f"same = {d.name}"))
        launch = self.launch(k, (p.name, f"&mut {d.name}"), d)
        at = k.parameters.index(q)
        launch.kids[at] = Node("name", value=f"&{'mut ' if q.mutable else ''}same")
        return [launch]


def random_program(seed, small=False):
    """small: of one kernel; another program than that of the seed without."""
    return Program(seed, small).tree
