"""Makes a program that shows a difference small: cuts its tree as long as the difference stays."""
import time

from trees import INTEGERS, Node, program_text


def paths(node, path=()):
    yield path, node
    for i, kid in enumerate(node.kids):
        yield from paths(kid, path + (i,))


def at(tree, path):
    for i in path:
        tree = tree.kids[i]
    return tree


def replaced(tree, path, node):
    """A copy of the tree with another node at a path."""
    if not path:
        return node.copy()
    copy = tree.copy()
    parent = at(copy, path[:-1])
    parent.kids[path[-1]] = node.copy()
    return copy


def without(tree, path, first, count):
    copy = tree.copy()
    del at(copy, path).kids[first:first + count]
    return copy


# ---- Edits, the large ones first ----

def without_definition(tree, i):
    """A kernel goes with its launches."""
    copy = tree.copy()
    gone = copy.kids.pop(i).value["name"]
    for node in copy.walk():
        if node.kind == "block":
            node.kids = [k for k in node.kids if not (k.kind == "launch" and k.value == gone)]
    return copy


def definitions(tree):
    for i in range(len(tree.kids) - 2, -1, -1):
        yield lambda i=i: without_definition(tree, i)


def chunks(tree):
    for path, node in paths(tree):
        if node.kind in ("block", "clauses"):
            size = len(node.kids)
            while size:
                for first in range(len(node.kids) - size, -1, -size):
                    yield lambda path=path, first=first, size=size: without(tree, path, first, size)
                size //= 2


def unwrapped(tree):
    """Loops and branches become what they hold."""
    for path, node in paths(tree):
        if node.kind in ("for", "when") and path:
            for kid in node.kids:
                if kid.kind == "block":
                    def edit(path=path, kid=kid):
                        copy = tree.copy()
                        at(copy, path[:-1]).kids[path[-1]:path[-1] + 1] = [k.copy() for k in kid.kids]
                        return copy
                    yield edit


def without_parameter(tree, kernel, i):
    copy = tree.copy()
    value = dict(copy.kids[kernel].value)
    value["parameters"] = value["parameters"][:i] + value["parameters"][i + 1:]
    copy.kids[kernel].value = value
    for node in copy.walk():
        if node.kind == "launch" and node.value == value["name"]:
            del node.kids[i]
    return copy


def parameters(tree):
    for k, definition in enumerate(tree.kids):
        if definition.kind == "kernel":
            for i in range(len(definition.value["parameters"]) - 1, -1, -1):
                yield lambda k=k, i=i: without_parameter(tree, k, i)


EXPRESSIONS = ("binary", "method", "neg", "not", "if", "call", "index", "len", "name")


def literals(node):
    if node.type in INTEGERS:
        return [Node("int", node.type, v) for v in (0, 1)]
    return [Node("bool", "Bool", True), Node("bool", "Bool", False)] if node.type == "Bool" else [Node("float", node.type, 1.0)]


def expressions(tree):
    """An expression becomes one of its parts, or a literal."""
    for path, node in paths(tree):
        if node.kind in EXPRESSIONS and node.type:
            smaller = [k for k in node.kids if k.type == node.type]
            for other in smaller + literals(node):
                yield lambda path=path, other=other: replaced(tree, path, other)
        if node.kind == "int" and abs(node.value) > 1:
            for value in {0, 1, node.value // 2}:
                yield lambda path=path, other=Node("int", node.type, value): replaced(tree, path, other)


def shrink(tree, still, seconds):
    """still(text): the difference is there."""
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for edits in (definitions, chunks, unwrapped, parameters, expressions):
            tree, better = exhaust(tree, edits, still, end)
            changed = changed or better
    return tree


def exhaust(tree, edits, still, end):
    """Tries edits, and begins anew with the tree that an edit gives, a little before where it was."""
    better, position = False, 0
    seen = {program_text(tree)}
    while True:
        for number, edit in enumerate(edits(tree)):
            if number < position:
                continue
            if time.monotonic() > end:
                return tree, better
            try:
                made = edit()
                text = program_text(made)
            except (IndexError, ValueError):
                continue
            if text not in seen and not seen.add(text) and still(text):
                tree, better, position = made, True, max(number - 2, 0)
                break
        else:
            return tree, better
