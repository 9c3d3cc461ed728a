"""Random helpers (spec/sspur.md 1.7): functions over scalars that kernels call."""
from random_bodies import Body, CLASSES
from random_expressions import Expressions, Scope
from trees import INTEGERS, NUMBERS, Node, block, name


class Helper:
    def __init__(self, text, parameters, result, lo, hi, ordinary, level, node):
        self.name, self.parameters, self.result, self.lo, self.hi = text, parameters, result, lo, hi
        self.ordinary, self.level, self.node = ordinary, level, node


def default_float(types):
    return "F64" if "F64" in types and "F32" not in types else "F32"


def signature(r, ordinary):
    if not ordinary:
        types = [r.choice(NUMBERS + ("Bool",)) for _ in range(r.randint(1, 4))]
        if not set(types) & set(NUMBERS):
            types[0] = r.choice(NUMBERS)
        result = r.choice(NUMBERS + ("Bool",))
        if not {"F32", "I32", "U32"} & {*types, result}:
            types.append(r.choice(["F32", "I32", "U32"]))
        return types, result
    types = ["Int"] + [r.choice(["Int", "F64", "Bool"]) for _ in range(r.randint(0, 2))]
    result = r.choice(["Int", "Bool", "F64"] if "F64" in types else ["Int", "Bool"])
    return types, result


def random_helper(r, number, earlier):
    """Earlier ones may be called, up to 8 levels."""
    ordinary = r.random() < 0.35
    types, result = signature(r, ordinary)
    callable_ones = [h for h in earlier if h.level < 7 and (h.ordinary or not ordinary)]
    if ordinary and "F64" not in types:
        callable_ones = [h for h in callable_ones if "F64" not in [p.type for p in h.parameters] + [h.result]]
    e = Expressions(r, callable_ones, default_float(types + [result]), host=ordinary)
    if ordinary:
        e.types = ("Int", "F64") if "F64" in types else ("Int",)
    parameters = []
    for i, type in enumerate(types):
        lo, hi = r.choice(CLASSES[type]) if type in INTEGERS else (None, None)
        parameters.append(name(f"a{i}", type, lo, hi))
    e.scope = Scope()
    e.scope.names = [p.copy() for p in parameters]
    body = Body(r, e, 12)
    statements = body.statements(r.choice([0, 0, 1, 3]), 2)
    lo, hi = r.choice(CLASSES[result]) if result in INTEGERS else (None, None)
    value = e.expression(result, 3)
    if result in INTEGERS:
        value = e.fit(value, lo, hi)
    statements.append(Node("value", result, None, [value]))
    tree = block(statements)
    called = {n.value for n in tree.walk() if n.kind == "call"}
    level = 1 + max([h.level for h in callable_ones if h.name in called], default=0)
    node = Node("helper", result, {"name": f"h{number}", "parameters": [(p.value, p.type) for p in parameters], "result": result}, [tree])
    return Helper(f"h{number}", parameters, result, lo, hi, ordinary, level, node)
