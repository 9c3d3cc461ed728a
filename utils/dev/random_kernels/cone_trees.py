"""The tree of a random Cone program, its text, and what makes it smaller.

A part is text with parts in it, so that any construct is one line of the generator. An expression knows its type and how
tight it binds; where a part needs more, there is a pair (part, level), and parentheses are put. A shrinker may replace an
expression by one of its type, and take statements and declarations away: what no longer makes sense is refused.
"""
import re
import time

# How tight operators bind (spec/cone.md 1.7).
SUFFIX, UNARY, AS, MULTIPLY, ADD, SHIFT, AND_BITS, XOR_BITS, OR_BITS, COMPARE, NOT, AND, OR = range(15, 2, -1)
LIST = -1  # what goes on over commas
LOOSE = 0  # if, match, new and closures, which always stand in parentheses as operands
LEVELS = {"*": MULTIPLY, "/": MULTIPLY, "%": MULTIPLY, "+": ADD, "-": ADD, "<<": SHIFT, ">>": SHIFT, "&": AND_BITS, "^": XOR_BITS,
          "|": OR_BITS, "and": AND, "or": OR, **{op: COMPARE for op in ("==", "!=", "<", "<=", ">", ">=")}}


class Part:
    """kind: expression, statement, list (of statements or declarations, a line each), declaration, kernel."""
    __slots__ = ("kind", "type", "level", "kids", "name")

    def __init__(self, kind, kids, type=None, level=SUFFIX, name=None):
        self.kind, self.kids, self.type, self.level, self.name = kind, list(kids), type, level, name

    def copy(self):
        kids = [k if isinstance(k, str) else (k[0].copy(), k[1]) if isinstance(k, tuple) else k.copy() for k in self.kids]
        return Part(self.kind, kids, self.type, self.level, self.name)

    def parts(self):
        for i, kid in enumerate(self.kids):
            if not isinstance(kid, str):
                yield i, kid[0] if isinstance(kid, tuple) else kid

    def walk(self):
        yield self
        for _, kid in self.parts():
            yield from kid.walk()


def expression(type, level, *kids):
    return Part("expression", kids, type, level)


def statement(*kids):
    return Part("statement", kids)


def lines(parts):
    return Part("list", parts)


def binary(type, left, op, right):
    level = LEVELS[op]
    return expression(type, level, (left, level + (level == COMPARE)), f" {op} ", (right, level + 1))


def text_of(part):
    if part.kind == "list":
        return "\n".join(text_of(kid) for _, kid in part.parts())
    return "".join(k if isinstance(k, str) else text_of(k) if isinstance(k, Part) else
                   text_of(k[0]) if k[0].level >= k[1] else f"({text_of(k[0])})" for k in part.kids)


def indented(text):
    depth, result = 0, []
    for line in text.split("\n"):
        line = line.strip()
        if line:
            code = re.sub(r"//.*", "", line)
            closing = len(re.match(r"[})\]]*", code).group())
            result.append("  " * max(depth - closing, 0) + line)
            depth += sum(code.count(c) for c in "{([") - sum(code.count(c) for c in "})]")
    return "\n".join(result) + "\n"


# ---- Making it small ----

def paths(part, path=()):
    yield path, part
    for i, kid in part.parts():
        yield from paths(kid, path + (i,))


def at(part, path):
    for i in path:
        kid = part.kids[i]
        part = kid[0] if isinstance(kid, tuple) else kid
    return part


def replaced(tree, path, by):
    copy = tree.copy()
    parent, i = at(copy, path[:-1]), path[-1]
    parent.kids[i] = (by.copy(), parent.kids[i][1]) if isinstance(parent.kids[i], tuple) else by.copy()
    return copy


def without(tree, path, first, count):
    copy = tree.copy()
    del at(copy, path).kids[first:first + count]
    return copy


def fewer(tree):
    """Statements and declarations go, many at once first."""
    for path, part in paths(tree):
        if part.kind == "list" and part.kids and path:  # the modules stay
            size = len(part.kids)
            while size:
                for first in range(len(part.kids) - size, -1, -size):
                    yield lambda path=path, first=first, size=size: without(tree, path, first, size)
                size //= 2


def unwrapped(tree):
    """A statement becomes a list of statements that is in it."""
    for path, part in paths(tree):
        if part.kind == "statement":
            for _, kid in part.parts():
                if kid.kind == "list":
                    yield lambda path=path, kid=kid: replaced(tree, path, kid)


def simple(type):
    """The least expressions of a type."""
    if type == "bool":
        return ["true", "false"]
    if type in ("f32", "f64"):
        return ["0.0" + type, "1.0" + type]
    return ["0" + type, "1" + type] if isinstance(type, str) and re.match(r"[iu](\d+|size)$", type) else []


def simpler(tree):
    for path, part in paths(tree):
        if part.kind != "expression" or not path:
            continue
        text = text_of(part)
        for word in simple(part.type):
            if len(word) < len(text):
                yield lambda path=path, part=part, word=word: replaced(tree, path, expression(part.type, SUFFIX, word))
        for inner in list(part.walk())[1:]:
            if inner.kind == "expression" and inner.type == part.type:
                yield lambda path=path, inner=inner: replaced(tree, path, inner)


def shrink(tree, still, seconds):
    """still(tree): the difference is there."""
    end = time.monotonic() + seconds
    seen, changed = {text_of(tree)}, True
    while changed:
        changed = False
        for edits in (fewer, unwrapped, simpler):
            position, again = 0, True
            while again:
                again = False
                for number, edit in enumerate(edits(tree)):
                    if time.monotonic() > end:
                        return tree
                    if number < position:
                        continue
                    made = edit()
                    text = text_of(made)
                    if text not in seen and not seen.add(text) and still(made):
                        tree, changed, again, position = made, True, True, max(number - 2, 0)
                        break
    return tree
