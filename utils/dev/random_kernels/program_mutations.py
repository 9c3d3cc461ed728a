"""Programs that are mostly wrong: random changes of a tree and of its text, and what the checker may answer."""
import re

from program_shrinker import at, paths
from trees import INTEGERS, NUMBERS, Node, integer, name, program_text

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d[\w.]*|:=|==|!=|<=|>=|->|\.\.|[^\s\w]|\n *| +')


# ---- Of trees ----

def random_path(tree, r, kinds):
    found = [p for p, n in paths(tree) if n.kind in kinds and p and tree.kids[p[0]].kind != "function"]
    return r.choice(found) if found else None


def drop_barrier(tree, r):
    path = random_path(tree, r, ("barrier",))
    if path:
        del at(tree, path[:-1]).kids[path[-1]]


def change_index(tree, r):
    """So that threads meet: another variable, a constant, a factor, an offset."""
    path = random_path(tree, r, ("store", "atomic", "index"))
    if not path:
        return
    node = at(tree, path)
    index = node.kids[0]
    node.kids[0] = r.choice([
        integer(0), name(r.choice(["gid", "lid", "group_id", "p0", "i1", "i2", "v1", "v2", "m1"]), "Int"),
        Node("binary", "Int", "+", [index, integer(1)]), Node("binary", "Int", "*", [index, integer(2)]),
        Node("binary", "Int", "/", [index, integer(2)]), Node("binary", "Int", "%", [index, integer(3)]),
        Node("method", "Int", "shr", [index, integer(1)]), Node("method", "Int", "max", [index, integer(1)])])


def move_statement(tree, r):
    path = random_path(tree, r, ("block",))
    block = path and at(tree, path).kids
    if block:
        node = block.pop(r.randrange(len(block)))
        block.insert(r.randint(0, len(block)), node)


def copy_statement(tree, r):
    """To another place of another kernel."""
    a, b = random_path(tree, r, ("let", "var", "assign", "store", "for", "when", "barrier", "atomic")), random_path(tree, r, ("block",))
    if a and b:
        kids = at(tree, b).kids
        kids.insert(r.randint(0, len(kids)), at(tree, a).copy())


def drop_statement(tree, r):
    path = random_path(tree, r, ("block",))
    block = path and at(tree, path).kids
    if block:
        del block[r.randrange(len(block))]


def swap_expressions(tree, r):
    kinds = ("binary", "method", "index", "name", "int", "float", "call", "len", "if")
    a, b = random_path(tree, r, kinds), random_path(tree, r, kinds)
    if a and b and a[:len(b)] != b and b[:len(a)] != a:
        x, y = at(tree, a), at(tree, b)
        at(tree, a[:-1]).kids[a[-1]] = y
        at(tree, b[:-1]).kids[b[-1]] = x


def change_type(tree, r):
    definitions = [d for d in tree.kids if d.kind in ("kernel", "helper")]
    value = r.choice(definitions).value
    if value["parameters"]:
        i = r.randrange(len(value["parameters"]))
        text, type = value["parameters"][i]
        other = r.choice(NUMBERS + ("Bool", "Str", "List[Int]"))
        value["parameters"] = list(value["parameters"])
        value["parameters"][i] = (text, re.sub(r"\w+(?=\]?$)", other, type, count=1))


def guard_statement(tree, r):
    """A statement, maybe a barrier, goes under a condition of the thread."""
    path = random_path(tree, r, ("barrier", "store", "for"))
    if path:
        parent = at(tree, path[:-1])
        condition = Node("binary", "Bool", r.choice(["==", "<", ">="]), [name(r.choice(["gid", "lid", "group_id"]), "Int"), integer(r.randint(0, 9))])
        parent.kids[path[-1]] = Node("when", None, False, [condition, Node("block", kids=[parent.kids[path[-1]]])])


def drop_guard(tree, r):
    path = random_path(tree, r, ("when",))
    if path:
        parent = at(tree, path[:-1])
        parent.kids[path[-1]:path[-1] + 1] = at(tree, path).kids[1].kids


def change_literal(tree, r):
    path = random_path(tree, r, ("int",))
    if path:
        node = at(tree, path)
        at(tree, path[:-1]).kids[path[-1]] = integer(r.choice([node.value + 1, node.value - 1, -node.value, 0, 2**63, 2**31, 2**64]), node.type)


TREE = [drop_barrier, drop_barrier, change_index, change_index, change_index, move_statement, copy_statement, drop_statement,
        swap_expressions, change_type, guard_statement, drop_guard, change_literal]


# ---- Of text ----

def mutated_text(text, r, changes=None):
    tokens = TOKENS.findall(text)
    for _ in range(changes or r.randint(1, 4)):
        i, j = r.randrange(len(tokens)), r.randrange(len(tokens))
        way = r.randrange(5)
        if way == 0:
            del tokens[i]
        elif way == 1:
            tokens.insert(i, tokens[j])
        elif way == 2:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif way == 3:
            tokens[i] = tokens[j]
        else:
            tokens[i:i] = tokens[j:j + r.randint(1, 200)]
    return "".join(tokens)


def mutated(tree, r):
    tree = tree.copy()
    for node in tree.kids:
        node.value = dict(node.value)
    if r.random() < 0.7:
        for _ in range(r.choice([1, 1, 1, 2, 4])):
            r.choice(TREE)(tree, r)
    text = program_text(tree)
    return mutated_text(text, r) if r.random() < 0.35 else text


def fault_of(machine, path):
    """What the checker did that it must not, and whether it accepted."""
    output, error, status = machine.command(["check", path], seconds=10)
    if status not in (0, 1):
        return f"check ended with {'no end' if status is None else f'status {status}'}: {error[:300]}", False
    if status == 1:
        answered = "error: " in output + error
        return None if answered else f"check failed without a diagnostic: {error[:200]}", False
    output, error, status = machine.command(["run", "--check-races", path], seconds=10)
    if status is None:
        return None, True  # a loop that a mutation made long
    if status not in (0, 1):
        return f"interp ended with status {status}: {error[:300]}", True
    races = [line for line in error.splitlines() if ": race on " in line]
    return (f"accepted, but races: {races[0]}" if races else None), True
