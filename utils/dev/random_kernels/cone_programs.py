"""Random Cone programs: a module, maybe a second one, with declarations and some kernels. One seed is one program."""
import random

from cone_declarations import Declarations, helpers
from cone_kernels import Kernel
from cone_templates import Templates
from cone_trees import Part, indented, lines, text_of
from cone_types import Struct

KERNELS = 4


class Program(Declarations, Templates):
    def __init__(self, seed, kernels=KERNELS):
        self.random = r = random.Random(f"cone {seed}")
        self.seed, self.counter = seed, 0
        self.exact = r.random() < 0.75
        self.calm = r.random() < 0.3  # data without NaN and what else is on an edge
        self.fails = r.random() < 0.3
        self.structs, self.functions, self.pairs, self.traits = [], [], [], []
        self.constants, self.privates, self.changers, self.places, self.nevers = [], [], [], [], []
        self.imports = []
        self.main, other = [], None
        if r.random() < 0.2:
            other = self.second_module()
        self.main = helpers()
        for _ in range(r.randint(0, 4)):
            self.random_global()
        for _ in range(r.randint(0, 2)):
            self.random_trait()
        for _ in range(r.randint(1, 4)):
            self.random_struct(r.random() < 0.7)
        for _ in range(r.randint(0, 3)):
            self.random_generic()
        for _ in range(r.randint(1, 5)):
            self.random_function()
        for _ in range(r.randint(0, 1)):
            self.random_enum()
        self.templates()
        if self.fails and r.random() < 0.5:
            self.never()
        if r.random() < 0.4:
            self.place_of_invocation()
        self.kernels = []
        for i in range(kernels):
            kernel = Kernel(self, i, self.exact, self.fails and r.random() < 0.7)
            self.kernels.append(kernel)
            self.main.append(kernel.node)
        self.tree = lines([lines(self.main)] + ([other] if other else []))

    def second_module(self):
        """Functions of numbers alone, reached by its name."""
        fails, self.fails = self.fails, False
        self.main = helpers()
        for _ in range(self.random.randint(1, 3)):
            self.random_function()
        self.fails = fails
        self.imported()
        return lines(self.main)

    def imported(self):
        """By the module's name, by another one, or some of its names alone, maybe as others."""
        r, name = self.random, "other"
        way = r.randrange(4)
        if way == 0:
            name = "o"
            self.imports.append("import other as o;")
        elif way == 1:
            hidden = r.choice(self.functions + self.pairs).name if r.random() < 0.5 else ""
            self.imports.append(f"import other use *{' but ' + hidden if hidden else ''};")
        elif way == 2:
            chosen = [f.name for f in self.functions + self.pairs]
            self.imports.append("import other use " + ", ".join(f"{f} as {f}other" for f in chosen) + ";")
        else:
            self.imports.append("import other;")
        for f in self.functions + self.pairs:
            f.name = f.name if way == 1 and f.name != hidden else f.name + "other" if way == 2 else f"{name}.{f.name}"

    def body_for(self, exact, fails=False):
        body = super().body_for(exact, fails)
        for constant in self.constants:
            body.declare(*constant)
        return body

    def texts(self, tree=None, name="program"):
        """The text of each file, by name."""
        tree = tree or self.tree
        modules = [part for _, part in tree.parts()]
        imports = "".join(line + "\n" for line in self.imports if len(modules) > 1 or "other" not in line) + "import libc;\n"
        files = {f"{name}.cone": indented(f"mod {name};\n{imports}" + text_of(modules[0]))} if modules else {}
        if len(modules) > 1:
            files["other.cone"] = indented("mod other;\nimport libc;\n" + text_of(modules[1]))
        return files


def random_program(seed, kernels=KERNELS):
    return Program(seed, kernels)
