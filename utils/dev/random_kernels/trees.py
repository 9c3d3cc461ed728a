"""The tree of a generated program, and its text.

A node has a kind, a type (of expressions), a value (names, operators, literals) and kids. Expressions of integers know
the interval of their values, so that the generator can keep them from trapping. A shrinker may replace any node: what no
longer makes sense is refused by `sspur check`.
"""

INTEGERS = {"Int": (-(2**63), 2**63 - 1), "I32": (-(2**31), 2**31 - 1), "U32": (0, 2**32 - 1)}
FLOATS = ("F32", "F64")
NUMBERS = ("Int", "I32", "U32", "F32", "F64")

LEVELS = {"or": 1, "and": 2, "not": 3, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 6, "-": 6, "*": 7,
          "/": 7, "%": 7}
UNARY, POSTFIX = 9, 10


class Node:
    __slots__ = ("kind", "type", "value", "kids", "lo", "hi", "flexible")

    def __init__(self, kind, type=None, value=None, kids=(), lo=None, hi=None, flexible=False):
        self.kind, self.type, self.value, self.kids = kind, type, value, list(kids)
        self.lo, self.hi = lo, hi
        self.flexible = flexible  # literals alone: its type is what is expected of it

    def copy(self):
        return Node(self.kind, self.type, self.value, [k.copy() for k in self.kids], self.lo, self.hi, self.flexible)

    def walk(self):
        yield self
        for kid in self.kids:
            yield from kid.walk()


def integer(value, type="Int"):
    return Node("int", type, value, lo=value, hi=value, flexible=True)


def name(text, type, lo=None, hi=None):
    return Node("name", type, text, lo=lo, hi=hi)


def block(statements):
    return Node("block", kids=statements)


def float_text(value):
    text = repr(value)
    if "e" not in text:
        return text
    digits, _, exponent = text.partition("e")
    return f"{digits if '.' in digits else digits + '.0'}e{int(exponent)}"


# ---- Expressions ----

def level_of(node):
    kind = node.kind
    if kind == "binary":
        return LEVELS[node.value]
    if kind == "if":
        return 0
    if kind == "not":
        return LEVELS["not"]
    if kind == "neg" or (kind in ("int", "float") and text_of(node).startswith("-")):
        return UNARY
    return POSTFIX


def at_level(node, level):
    text = text_of(node)
    return text if level_of(node) >= level else f"({text})"


def text_of(node):
    kind, kids = node.kind, node.kids
    if kind == "int":
        return str(node.value)
    if kind == "float":
        return float_text(node.value)
    if kind == "bool":
        return "true" if node.value else "false"
    if kind == "name":
        return node.value
    if kind == "binary":
        own = LEVELS[node.value]
        left = own + 1 if own == LEVELS["=="] else own
        return f"{at_level(kids[0], left)} {node.value} {at_level(kids[1], own + 1)}"
    if kind == "neg":
        return f"-{at_level(kids[0], POSTFIX)}"
    if kind == "not":
        return f"not {at_level(kids[0], LEVELS['not'])}"
    if kind == "method":
        arguments = ", ".join(text_of(k) for k in kids[1:])
        return f"{at_level(kids[0], POSTFIX)}.{node.value}" + (f"({arguments})" if arguments else "")
    if kind == "index":
        return f"{node.value}[{text_of(kids[0])}]"
    if kind == "len":
        return f"{node.value}.len"
    if kind == "if":
        return f"if {text_of(kids[0])} then {at_level(kids[1], 1)} else {text_of(kids[2])}"
    if kind == "call":
        return f"{node.value}({', '.join(text_of(k) for k in kids)})"
    raise ValueError(kind)


# ---- Statements: lists of lines ----

def indented(lines):
    return ["  " + line for line in lines]


def lines_of(node):
    kind, kids = node.kind, node.kids
    if kind == "block":
        return [line for kid in kids for line in lines_of(kid)] or ["()"]
    if kind == "let":
        return [f"{node.value} = {text_of(kids[0])}"]
    if kind == "var":
        return [f"var {node.value} = {text_of(kids[0])}"]
    if kind == "assign":
        return [f"{node.value} := {text_of(kids[0])}"]
    if kind == "store":
        return [f"{node.value}[{text_of(kids[0])}] := {text_of(kids[1])}"]
    if kind == "atomic":
        return [f"{node.value[0]}.{node.value[1]}({', '.join(text_of(k) for k in kids)})"]
    if kind == "shared":
        return [f"{node.value} = shared[{node.type}]({text_of(kids[0])})"]
    if kind == "barrier":
        return ["barrier()"]
    if kind == "unit":
        return ["()"]
    if kind == "value":
        return [text_of(kids[0])]
    if kind == "text":
        return [node.value]
    if kind == "for":
        return [f"for {node.value} in {at_level(kids[0], 6)}..{at_level(kids[1], 6)}"] + indented(lines_of(kids[2]))
    if kind == "while":
        counter, rounds = node.value
        return [f"var {counter} = 0", f"while {counter} < {rounds}"] + indented(lines_of(kids[0]) + [f"{counter} := {counter} + 1"])
    if kind == "when":
        return lines_of_when(node)
    if kind == "launch":
        return [f"{node.value}({', '.join(text_of(k) for k in kids)})"]
    raise ValueError(kind)


SIMPLE = ("assign", "store", "atomic", "barrier", "unit")


def lines_of_when(node):
    """`if` as a statement; value: branches of one statement stand on its line."""
    condition, kids = text_of(node.kids[0]), node.kids[1:]
    short = node.value and all(len(k.kids) == 1 and k.kids[0].kind in SIMPLE for k in kids)
    if short:
        return [f"if {condition} then " + " else ".join(lines_of(k)[0] for k in kids)]
    lines = [f"if {condition} then do"] + indented(lines_of(kids[0]))
    if len(kids) == 1:
        return lines
    other = kids[1].kids
    if node.value and len(other) == 1 and other[0].kind == "when" and len(other[0].kids) == 3:
        chain = lines_of_when(other[0])
        return lines + ["else " + chain[0]] + chain[1:]
    return lines + ["else do"] + indented(lines_of(kids[1]))


# ---- Definitions ----

def parameters_text(parameters):
    return ", ".join(f"{name}: {type}" for name, type in parameters)


def definition_lines(node):
    """A helper (kids: block), a kernel (kids: grid, clauses, block), a fn or main (kids: block), a test."""
    v = node.value
    if node.kind == "helper":
        head = f"fn {v['name']}({parameters_text(v['parameters'])}) -> {v['result']}"
        body = lines_of(node.kids[0])
        return [f"{head} = {body[0]}"] if len(node.kids[0].kids) == 1 and len(body) == 1 else [
            head, "= do"] + indented(body)
    if node.kind == "kernel":
        grid, clauses, body = node.kids
        sizes = ", ".join([text_of(k) for k in grid.kids] + [str(g) for g in v["group"]])
        effect = " ! dev" if v["effect"] else ""
        head = f"kernel fn {v['name']}({parameters_text(v['parameters'])}){effect} @grid{'2' if len(v['group']) == 2 else ''}({sizes})"
        head = [head] + [f"  pre {text_of(c)}" for c in clauses.kids]
        if len(body.kids) == 1 and body.kids[0].kind in SIMPLE:
            return head + ["= " + lines_of(body)[0]]
        return head + ["= do"] + indented(lines_of(body))
    if node.kind == "test":
        return [f"test {v['name']} = {v['text']}"]
    if node.kind == "function":
        return [v["head"], "= do"] + indented(lines_of(node.kids[0]))
    raise ValueError(node.kind)


def program_text(program):
    return "\n\n".join("\n".join(definition_lines(d)) for d in program.kids) + "\n"
