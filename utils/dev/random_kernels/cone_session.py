"""The actions of random_kernels on Cone programs: compare, mutate, coverage."""
import os
import random
import re
import shutil
from collections import Counter

from cone_programs import random_program
from cone_runs import counted, difference, dispatch, in_turns, is_compared, write_program
from cone_trees import lines, shrink
from program_coverage import operations, share
from program_mutations import mutated_text

# What no Cone program has: operations of SSPUR alone, and those that passes make.
NOT_CONE = set("""iadd_trap isub_trap imul_trap ineg_trap iabs_trap idiv_trap irem_trap convert_trap fround parameter group_size cut yield""".split())
RACES = ("--check-races",)


def fault_of_check(machine, path):
    """What check and check --prove did that they must not; whether the program is accepted."""
    output, error, status = machine.command(["check", "--prove", path], seconds=30)
    if status not in (0, 1):
        return f"check --prove ended with {'no end' if status is None else f'status {status}'}: {error[:300]}", False
    if status == 1 and "Error " not in output + error:
        return f"check --prove failed without a diagnostic: {error[:200]}", False
    return None, status == 0


def compare(session, seed):
    """All kernels of a program, on every device."""
    machine, program = session.machine, random_program(seed)
    path = write_program(machine, program)
    fault, accepted = fault_of_check(machine, path)
    if fault:
        session.fault_of_cone(f"seed {seed}: {fault}", program, None, "check")
    elif not accepted:
        _, error, _ = machine.command(["check", path])
        session.say(f"seed {seed}: refused: {error.splitlines()[0][:200]}")
        session.refused += 1
    else:
        for kernel in program.kernels:
            compare_kernel(session, program, path, kernel)
    session.programs += 1
    shutil.rmtree(os.path.dirname(path))


def compare_kernel(session, program, path, kernel):
    machine = session.machine
    expected = dispatch(machine, path, kernel, "interp")
    if expected[1] not in (0, 1) or expected[1] == 1 and " failed" not in expected[0] or "waits at a barrier" in expected[0]:
        session.fault_of_cone(f"seed {program.seed}: interp: {kernel.name}: status {expected[1]}: {expected[0][:300]}", program, kernel, "interp")
        return
    session.kernels += 1
    session.trapped += expected[1] == 1
    turn = program.seed + program.kernels.index(kernel)
    for name in ["races", *in_turns(machine, turn)]:
        found = difference_on(machine, path, program, kernel, name, expected)
        if found:
            session.fault_of_cone(f"seed {program.seed}: {name}: {kernel.name}: {found}", program, kernel, name)


def difference_on(machine, path, program, kernel, name, expected):
    if name == "races":
        got = dispatch(machine, path, kernel, "interp", RACES)
        return f"race: {got[0][:300]}" if " race on " in got[0] or counted(got[0]) != counted(expected[0]) else None
    if not is_compared(program, kernel, name):
        return None
    return difference(expected, dispatch(machine, path, kernel, name), name)


def still(machine, program, kernel, name):
    """Of a tree that was cut: it is accepted, and the fault is there."""
    def test(tree):
        path = write_program(machine, program, tree)
        if name == "check":
            return fault_of_check(machine, path)[0] is not None
        expected = dispatch(machine, path, kernel, "interp")
        if expected[1] not in (0, 1):
            return name == "interp" and expected[1] != 2
        if "Error " in expected[0] or name == "interp":
            return False
        return difference_on(machine, path, program, kernel, name, expected) is not None
    return test


def kept_text(program, tree, kernel, words):
    """A program as test/regress has it: how it is run, and what differed."""
    texts = program.texts(tree)
    main = texts.pop("program.cone")
    run = kernel.comments() if kernel else ""
    more = "".join(f"// other.cone:\n{re.sub('^', '// ', text, flags=re.M)}\n" for text in texts.values())
    return f"// {words}\n// RUN: %run_dispatches %s | FileCheck %s\n{run}{more}{main}"


def of_one_kernel(program, kernel):
    """The tree without the other kernels."""
    tree = program.tree.copy()
    main = tree.kids[0]
    main.kids = [k for k in main.kids if k.kind != "kernel" or k.name == kernel.name]
    return tree


def smaller(session, program, kernel, name):
    tree = of_one_kernel(program, kernel) if kernel else program.tree
    test = still(session.machine, program, kernel, name)
    if not test(tree):
        tree = program.tree
    return shrink(tree, test, session.options.shrink) if session.options.shrink > 0 else tree


# ---- Programs that are mostly wrong ----

def mutate(session, seed):
    machine, r = session.machine, random.Random(seed)
    program = random_program(seed, 2)
    path = write_program(machine, program)
    with open(path, encoding="utf-8") as file:
        text = mutated_text(file.read(), r, r.choice([1, 1, 1, 3]))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    fault, accepted = fault_of_check(machine, path)
    for kernel in program.kernels if accepted else []:
        error, status, _ = dispatch(machine, path, kernel, "interp", ("--check-races",))
        if status not in (0, 1, 2, None):
            fault = f"interp ended with status {status}: {error[:300]}"
    session.programs += 1
    session.refused += not accepted
    if fault:
        session.faults += 1
        os.makedirs(session.options.folder, exist_ok=True)
        kept = os.path.join(session.options.folder, f"mutated-{seed}.cone")
        shutil.copy(path, kept)
        session.say(f"seed {seed}: {fault}\n  {kept}")
    shutil.rmtree(os.path.dirname(path))


# ---- Coverage ----

def coverage(session):
    found, refused = Counter(), 0
    for seed in session.seeds():
        path = write_program(session.machine, random_program(seed))
        done = session.machine.command(["build", "--target", "kir", path, "-o", session.machine.path("coverage.kir")])
        session.programs += 1
        refused += done[2] != 0
        if not done[2]:
            with open(session.machine.path("coverage.kir"), encoding="utf-8") as file:
                found += Counter(re.findall(r"\b[a-z]+[a-z0-9_]*\b", file.read()))
        shutil.rmtree(os.path.dirname(path))
    print(share(found, set(operations()) - NOT_CONE, "operations of ir_ops.def that Cone has"))
    print(f"{session.programs} programs, {refused} refused")
