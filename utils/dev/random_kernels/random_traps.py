"""Statements that trap at one thread, of every kind (spec/sspur.md 1.3, 1.5)."""
from trees import INTEGERS, Node, integer, name


def near(context, most):
    """0 at the chosen threads, else 1..most."""
    distance = Node("method", "Int", "abs", [Node("binary", "Int", "-", [context["thread"].copy(), integer(context["at"])])])
    return Node("method", "Int", "min", [distance, integer(most)], 0, most)


def binary(type, op, a, b):
    return Node("binary", type, op, [a, b])


def method(type, name, *kids):
    return Node("method", type, name, list(kids))


def typed(type, most, context):
    v = near(context, most)
    return v if type == "Int" else method(type, {"I32": "to_i32", "U32": "to_u32"}[type], v)


def division(r, context, scope):
    type = r.choice(list(INTEGERS))
    return type, binary(type, r.choice("/%"), integer(r.choice([0, 1, 7]), type), typed(type, 5, context))


def overflow(r, context, scope):
    type = r.choice(list(INTEGERS))
    least, most = INTEGERS[type]
    v = typed(type, 3, context)
    half = (most + 1) // 2
    choices = [binary(type, "+", binary(type, "-", integer(most, type), v), integer(1, type)),
               binary(type, "-", binary(type, "+", v, integer(least, type)), integer(1, type)),
               binary(type, "*", binary(type, "-", integer(half, type), v), integer(2, type))]
    if type == "U32":
        choices.append(Node("neg", type, None, [binary(type, "-", integer(1, type), method(type, "min", v, integer(1, type)))]))
    else:
        lowest = binary(type, "+", v, integer(least, type))
        choices += [Node("neg", type, None, [lowest]), method(type, "abs", lowest), binary(type, "/", lowest, integer(-1, type)),
                    binary(type, "%", lowest, integer(-1, type))]
    return type, r.choice(choices)


# The least factor whose square overflows.
ROOTS = {"Int": 3037000500, "I32": 46341, "U32": 65536}


def product(r, context, scope):
    """Of two values that are near the root of the limit."""
    type = r.choice(["Int", "I32", "I32", "U32"])
    root = ROOTS[type]
    sign = r.choice([1, -1]) if type != "U32" else 1
    a = binary(type, "-", integer(root, type), typed(type, r.choice([1, 3, 1000]), context))
    return type, binary(type, "*", *r.sample([a, integer(sign * root, type)], 2))


def conversion(r, context, scope):
    v, i, u = near(context, 3), typed("I32", 3, context), typed("U32", 3, context)
    return r.choice([
        ("I32", method("I32", "to_i32", binary("Int", "-", integer(2**31), v))),
        ("I32", method("I32", "to_i32", binary("Int", "-", v, integer(2**31 + 1)))),
        ("U32", method("U32", "to_u32", binary("Int", "-", v, integer(1)))),
        ("U32", method("U32", "to_u32", binary("Int", "-", integer(2**32), v))),
        ("U32", method("U32", "to_u32", binary("I32", "-", i, integer(1, "I32")))),
        ("I32", method("I32", "to_i32", binary("U32", "-", integer(2**31, "U32"), u)))])


def shift(r, context, scope):
    i, u = typed("I32", 3, context), typed("U32", 3, context)
    return r.choice([
        ("I32", method("I32", "shl", binary("I32", "-", integer(2**30, "I32"), i), integer(1, "I32"))),
        ("U32", method("U32", "shl", binary("U32", "-", integer(2**31, "U32"), u), integer(1, "U32"))),
        ("I32", method("I32", "shr", binary("I32", "-", i, integer(1, "I32")), integer(r.choice([1, 31, 32]), "I32")))])


def index(r, context, scope):
    """Of a load."""
    arrays = [a for a in scope.arrays if a.length >= 1]
    if not arrays:
        return division(r, context, scope)
    a = r.choice(arrays)
    length = Node("len", "Int", a.name, lo=a.length, hi=a.length)
    where = r.choice([binary("Int", "-", length, near(context, 1)), binary("Int", "-", near(context, 1), integer(1)),
                      binary("Int", "*", binary("Int", "-", integer(1), near(context, 1)), integer(2**40))])
    return a.type, Node("index", a.type, a.name, [where])


def trap_statements(body):
    """One or two statements; they may stand under a condition that the thread meets."""
    r, context, scope = body.random, body.trap_context, body.expressions.scope
    if scope.atomics and r.random() < 0.6:
        a, op, pair = r.choice(scope.atomics)
        where = r.choice([binary("Int", "-", Node("len", "Int", a.name), near(context, 1)),
                          binary("Int", "-", near(context, 1), integer(1))]) if a.length else integer(0)
        values = [p.copy() for p in pair] if pair else [integer(1, a.type)]
        return [Node("atomic", a.type, (a.name, op), [where] + values)]
    type, value = r.choice([division, overflow, product, product, conversion, shift, index, index])(r, context, scope)
    variables = [v for v in scope.variables if v.type == type and v.lo == INTEGERS.get(type, (None,))[0]
                 and v.hi == INTEGERS.get(type, (None, None))[1]]
    if variables and r.random() < 0.5:
        made = Node("assign", type, r.choice(variables).value, [value])
    else:
        made = Node("let", type, body.fresh("t"), [value])
    if r.random() < 0.25:
        condition = Node("binary", "Bool", r.choice(["==", ">="]), [context["thread"].copy(), integer(context["at"])])
        return [Node("when", None, False, [condition, Node("block", kids=[made])])]
    return [made]
