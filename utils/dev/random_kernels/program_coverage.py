"""What programs exercise: operations of ir/ir_ops.def, and constructs of the language by type.

Operations are counted in the IR of `sspur build --target kir`, as front ends build it. The checker's accept paths are
measured as pairs of a construct of spec/sspur.md 1.2 to 1.7 and the types that it may have, listed here in full.
"""
import os
import re
from collections import Counter

from trees import FLOATS, INTEGERS, NUMBERS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

# What no SSPUR program has: operations of Cone alone, and those that passes make.
NOT_SSPUR = set("""iadd isub imul ineg idiv irem bnot math math2 convert_saturate bitcast check_range check atomic_load atomic_store
atomic_swap atomic_sub atomic_and atomic_or atomic_xor loop break continue return""".split())


def operations():
    with open(os.path.join(ROOT, "ir", "ir_ops.def"), encoding="utf-8") as file:
        return re.findall(r"^OP\((\w+),", file.read(), re.M)


def constructs():
    every = set()
    for type in NUMBERS + ("Bool",):
        every |= {(form, type) for form in ("let", "var", "assign", "if", "call", "helper parameter", "scalar parameter", "==", "!=")}
    for type in NUMBERS:
        every |= {(form, type) for form in ("+", "-", "*", "/", "<", "<=", ">", ">=", "min", "max", "literal", "load", "store",
                                            "slice", "shared", "load shared", "store shared")}
        every |= {(f"{other} to", type) for other in NUMBERS if type in FLOATS or other in INTEGERS}
    for type in INTEGERS:
        every |= {(form, type) for form in ("%", "shl", "shr", "band", "bor", "bxor")}
    for type in FLOATS:
        every |= {(form, type) for form in ("sqrt", "floor", "ceil", "round")}
    every |= {(form, type) for form in ("neg", "abs") for type in ("Int", "I32", "F32", "F64")}
    every |= {(f"{place} {form}", type) for place in ("slice", "shared") for type in ("I32", "U32")
              for form in ("atomic_add", "atomic_min", "atomic_max", "atomic_cas")}
    every |= {(f"{place} atomic_add", "F32") for place in ("slice", "shared")}
    every |= {(form, "Bool") for form in ("and", "or", "not", "literal")}
    every |= {(form, "") for form in ("for", "when", "when else", "barrier", "barrier in for", "barrier in when", "grid", "grid2", "pre",
                                      "len", "gid", "lid", "group_id", "group_size", "grid_size", "unit")}
    every |= {(f"{base}.{axis}", "") for base in ("gid", "lid", "group_id", "group_size", "grid_size") for axis in "xy"}
    return every


# What has no type: of kernels, of indexes that do not race (spec/sspur.md 1.4), and of the host around them.
SOURCE = {
    "kernel of one statement": r"^kernel fn [^\n]*\n(  pre [^\n]*\n)*= (?!do)", "effect row": r"^kernel fn [^\n]*! dev", "two pre": r"^  pre [^\n]*\n  pre ",
    "element gid": r"\[gid\] :=", "element gid + c": r"\[gid [+-] [^\]\n]*\] :=", "element of a block": r"\[gid \* [^\]\n]* \+ [^\]\n]*\] :=",
    "element of the grid's rows": r"\[gid\.y \* [^\]\n]*\+ gid\.x[^\]\n]*\] :=", "element group_id": r"\[group_id[^\]\n]*\] :=", "if lid ==": r"if \(?lid == ",
    "shared of group_size": r"shared\[\w+\]\([^)\n]*group_size", "else if": r"else if ", "if on one line": r"\bif [^\n]* then (?!do)[^\n]*:=", "least literal": r"-9223372036854775808",
    "Bool parameter": r"\w: Bool", "helper of a helper": r"^fn \w+\([^\n]*\n?[^\n]*\bh\d+\(",
    "main with effects": r"^fn main\(\) ! dev, log", "launch of a buffer": r"^ +k\d+\([^\n]*&(mut )?b\d", "launch of a list": r"^ +k\d+\([^\n]*&(mut )?l\d",
    "launch in a loop": r"for r\d+ in [^\n]*\n +k\d", "launch of a list made in place": r"^ +k\d+\([^\n]*&\(0\.\.", "one buffer twice": r"\bsame\b", "gpu_sync": r"gpu_sync\(\)",
    "to_list": r"\.to_list", "fold": r"\.fold\(", "list of numbers": r"= \[", "map": r"\.map\(", "a `_` twice": r"\.map\([^\n]*_ \* _",
    "launch in an if": r"^ +if [^\n]*\n +k\d+\(", "launch in a function": r"^fn (?!main)\w+\([^\n]*! dev", "test": r"^test ", "Option of the host": r"\.is_some\b",
    "while of the host": r"^ +while ", "string of the host": r'^ +\w+ = "',
}
PATTERNS = {form: re.compile(pattern, re.M) for form, pattern in SOURCE.items()}


def of_source(text):
    return Counter(form for form, pattern in PATTERNS.items() if pattern.search(text))


def of_expression(node, shared):
    kind, type = node.kind, node.type
    if kind == "binary" and node.value in ("==", "!=", "<", "<=", ">", ">="):
        yield node.value, node.kids[0].type
    elif kind == "method" and node.value.startswith("to_"):
        yield f"{node.kids[0].type} to", type
    elif kind in ("binary", "method"):
        yield node.value, type
    elif kind in ("int", "float", "bool"):
        yield "literal", type
    elif kind == "index":
        yield "load shared" if node.value in shared else "load", type
    elif kind in ("neg", "not", "if", "call"):
        yield kind, type or "Bool"
    elif kind == "len":
        yield "len", ""
    elif kind == "name":
        yield node.value, ""


def of_statement(node, shared):
    kind = node.kind
    if kind in ("let", "var", "assign", "shared"):
        yield kind, node.type
    elif kind == "store":
        yield "store shared" if node.value in shared else "store", node.type
    elif kind == "atomic":
        yield f"{'shared' if node.value[0] in shared else 'slice'} {node.value[1]}", node.type
    elif kind in ("for", "when"):
        yield kind, ""
        if len(node.kids) == 3 and kind == "when":
            yield "when else", ""
        if any(n.kind == "barrier" for n in node.walk()):
            yield f"barrier in {kind}", ""
    elif kind in ("barrier", "unit"):
        yield kind, ""


def of_definition(definition):
    if definition.kind == "helper":
        yield from (("helper parameter", type) for _, type in definition.value["parameters"])
    if definition.kind == "kernel":
        yield "grid" if len(definition.value["group"]) == 1 else "grid2", ""
        if definition.kids[1].kids:
            yield "pre", ""
        for _, type in definition.value["parameters"]:
            yield ("slice", type.split("[")[1][:-1]) if "[" in type else ("scalar parameter", type)


def of_program(tree):
    found = Counter()
    for definition in tree.kids:
        if definition.kind in ("function", "test"):
            continue
        found.update(of_definition(definition))
        shared = {n.value for n in definition.walk() if n.kind == "shared"}
        for node in definition.walk():
            found.update(of_expression(node, shared))
            found.update(of_statement(node, shared))
    return found


def of_kir(text):
    return Counter(re.findall(r"\b[a-z]+[a-z0-9_]*\b", text))


def share(found, every, what):
    missing = sorted(x for x in every if not found[x])
    line = f"{what}: {len(every) - len(missing)} of {len(every)}"
    return line + (f"; missing: {', '.join(' '.join(m).strip() if isinstance(m, tuple) else m for m in missing)}" if missing else "")
