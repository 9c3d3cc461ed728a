"""Expressions whose compilers' algebra is worth a look, as Cone kernels.

usage: expressions.py pairs FOLDER
       expressions.py constants SSPUR FOLDER

pairs      writes FOLDER/pairsN.cone, as run_dispatches reads them: one operation with a constant after another, for every
           two operations and some constants, of values at the edges of each type.
constants  writes kernels whose operations are all of constants, each in a variable, and compares what `spirv-opt -O`
           makes of them, where it makes a constant, with what `interp` does. The last line has the counts; the status is
           1 if one differs, or if it makes constants of less than half.
"""
import itertools
import re
import subprocess
import sys

WORDS = [0, 1, 2, 3, 7, 12, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFF9, 65535, 1 << 24, 0x55555555, 0xDEADBEEF, 100]
LEAST = "(0i32 - 2147483647i32 - 1i32)"
CONSTANTS = {
    "u32": ["3u32", "4294967295u32", "2147483648u32"],
    "i32": ["3i32", "-1i32", LEAST],
    "u64": ["3u64", "18446744073709551615u64"],
    "i64": ["5i64", "-1i64"],
    "f32": ["0.0f32", "-0.0f32", "1.0f32", "2.0f32", "1e-40f32"],
}
MADE = {"u32": "w", "i32": "i32.from(w)", "u64": "u64.from(w) << 32u64 | u64.from(w)", "i64": "i64.from(w) << 32i64 | i64.from(w)",
        "f32": "w as f32"}
FLOATS = ["0.0f32", "1.0f32", "0.5f32", "2.5f32", "3e38f32", "1e-40f32", "16777217.0f32", "4294967040.0f32", "2147483648.0f32"]
FLOATS += [f"-{x}" for x in FLOATS] + ["(0x7FC00000u32 as f32)", "(0x7F800000u32 as f32)", "(0xFF800000u32 as f32)"]


def words_of(name, type):
    """A number as one word: of 64 bits both halves, and every NaN is one."""
    if type == "f32":
        return f"if {name} == {name} {{ {name} as u32; }} else {{ 0x7FC00000u32; }}"
    return f"u32.from({name} ^ ({name} >> 32{type}))" if type in ("u64", "i64") else f"u32.from({name})"


# ---- Pairs ----

def operations(type):
    made = ["-({})"]
    for c in CONSTANTS[type]:
        made += [f"(({{}}) + {c})", f"({c} - ({{}}))", f"(({{}}) - {c})", f"(({{}}) * {c})", f"least_{type}({{}}, {c})", f"most_{type}({{}}, {c})"]
        if type != "f32":
            made += [f"(({{}}) / {c})", f"({c} / ({{}}))", f"(({{}}) % {c})", f"(({{}}) & {c})", f"(({{}}) | {c})", f"(({{}}) ^ {c})"]
    return made + ([] if type == "f32" else ["~({})"] + [f"(({{}}) {op} {n}{type})" for op in ("<<", ">>") for n in (1, 31)])


def pairs(folder, at_once=150):
    every = [(t, b.format(a.format("x"))) for t in CONSTANTS for a, b in itertools.product(operations(t), repeat=2)]
    functions = "".join(f"fn least_{t}(x {t}, y {t}) {t} {{ if x < y {{ x; }} else {{ y; }} }}\n"
                        f"fn most_{t}(x {t}, y {t}) {t} {{ if x < y {{ y; }} else {{ x; }} }}\n" for t in CONSTANTS)
    for first in range(0, len(every), at_once):
        lines = [f"  imm x{n} {t} = {MADE[t]}; imm r{n} {t} = {re.sub('x', f'x{n}', e)}; out[at * {at_once}usize + {n}usize] = {words_of(f'r{n}', t)};"
                 for n, (t, e) in enumerate((t, e) for t, e in every[first:first + at_once])]
        with open(f"{folder}/pairs{first}.cone", "w", encoding="utf-8") as file:
            file.write(f"// run: --kernel pairs{first} --groups 1 --buffer words=words:u:{','.join(map(str, WORDS))} --buffer out=zero:u32:{at_once * len(WORDS)}\n"
                       f"mod pairs;\n{functions}fn @compute({len(WORDS)}) pairs{first}(inv Invocation, words &Array[u32], out &mut Array[u32]) {{\n"
                       "  imm at = usize.from(inv.globalId[0]);\n  imm w = words[at];\n" + "\n".join(lines) + "\n}\n")


# ---- Constants ----

def literal(word, type):
    if type == "u32":
        return f"{word}u32"
    return LEAST if word == 1 << 31 else f"{word - (word >> 31 << 32)}i32"


def of_constants():
    """The operands' type, the operands, what is computed of x and y, its type."""
    tests = [(op, f"if x {op} y {{ 1u32; }} else {{ 0u32; }}") for op in ("<", "<=", ">", ">=", "==", "!=")]
    for t in ("u32", "i32"):
        for a, b in itertools.product([literal(w, t) for w in WORDS], repeat=2):
            yield from ((t, a, b, f"x {op} y", t) for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
            yield from ((t, a, b, e, "u32") for _, e in tests)
            yield t, a, b, "i64.from(x) * i64.from(y)", "i64"
            yield t, a, b, "u64.from(x) / u64.from(y)", "u64"
            yield t, a, b, "f32.from(i64.from(x) * 3i64)", "f32"
        for a in (literal(w, t) for w in WORDS):
            yield from ((t, a, a, f"{to}.from(x)", to) for to in ("u32", "i32", "f32", "u64", "i64"))
            yield from ((t, a, a, e, t) for e in ("-x", "~x"))
    for a, b in itertools.product(FLOATS, repeat=2):
        yield from (("f32", a, b, f"x {op} y", "f32") for op in ("+", "-", "*"))
        yield from (("f32", a, b, e, "u32") for _, e in tests)
    for a in FLOATS:
        yield from (("f32", a, a, f"{to}.from(x)", to) for to in ("u32", "i32", "u64", "i64"))
        yield "f32", a, a, "-x", "f32"


def wrong_constants(sspur, path, part):
    """How many of them spirv-opt makes constants, and those that are others on interp."""
    with open(path + ".cone", "w", encoding="utf-8") as file:
        file.write("mod constants;\nfn @compute(1) constants(inv Invocation, out &mut Array[u32]) {\n")
        for n, (t, a, b, e, to) in enumerate(part):
            e = re.sub(r"\b[xy]\b", lambda m, n=n: f"{m[0]}{n}", e)
            file.write(f"  mut x{n} {t} = {a}; mut y{n} {t} = {b}; imm r{n} {to} = {e}; out[{n}] = {words_of(f'r{n}', to)};\n")
        file.write("}\n")
    run = [sspur, "run", path + ".cone", "--device", "interp", "--kernel", "constants", "--groups", "1", "--buffer", f"out=zero:u32:{len(part)}", "--print", "out"]
    right = subprocess.run(run, check=True, capture_output=True, text=True).stdout.removeprefix("out: ").split()
    subprocess.run([sspur, "build", "--target", "vulkan", path + ".cone", "-o", path + ".spv"], check=True)
    subprocess.run(["spirv-opt", "-O", path + ".spv", "-o", path + ".opt.spv"], check=True)
    text = subprocess.run(["spirv-dis", path + ".opt.spv"], check=True, capture_output=True, text=True).stdout
    places = {m[1]: int(m[2]) for m in re.finditer(r"(%\w+) = OpAccessChain %\w+ %constants_out %uint_0 %uint_(\d+)", text)}
    found = {places[m[1]]: m[2] for m in re.finditer(r"OpStore (%\w+) %uint_(\d+)", text) if m[1] in places}
    return len(found), [(part[n], right[n], word) for n, word in found.items() if word != right[n]]


def constants(sspur, folder, at_once=400):
    every, folded, wrong = list(of_constants()), 0, []
    for first in range(0, len(every), at_once):
        count, differences = wrong_constants(sspur, f"{folder}/constants{first}", every[first:first + at_once])
        folded, wrong = folded + count, wrong + differences
    for (t, a, b, e, _), right, word in wrong:
        print(f"{e} of {t} x = {a}, y = {b}: interp {right}, spirv-opt {word}")
    print(f"{len(every)} expressions, {folded} constants, {len(wrong)} wrong")
    return 1 if wrong or folded < len(every) // 2 else 0


sys.exit(pairs(sys.argv[2]) if sys.argv[1] == "pairs" else constants(sys.argv[2], sys.argv[3]))
