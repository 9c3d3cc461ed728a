"""The actions of random_kernels on Cone programs: compare, mutate, coverage."""
import os
import random
import re
import shutil
from collections import Counter

from cone_coverage import FORMS, of_module
from cone_programs import random_program
from cone_runs import RACES, counted, difference, dispatch, family, flushing, in_turns, watched, why_not_compared, write_program
from cone_trees import lines, shrink
from program_coverage import operations, share
from program_mutations import mutated_text
from program_runs import CONFIGURATIONS

# What no Cone program has: operations of SSPUR alone, and those that passes make.
NOT_CONE = set("""iadd_trap isub_trap imul_trap ineg_trap iabs_trap idiv_trap irem_trap convert_trap fround parameter group_size cut yield""".split())


def fault_of_check(machine, path):
    """What check and check --prove did that they must not; whether the program is accepted."""
    output, error, status = machine.command(["check", "--prove", path], seconds=30)
    if status not in (0, 1):
        return f"check --prove ended with {'no end' if status is None else f'status {status}'}: {error[:300]}", False
    if status == 1 and "Error " not in output + error:
        return f"check --prove failed without a diagnostic: {error[:200]}", False
    return None, status == 0


def start(session):
    """Before programs are compared."""
    given = session.options.flushing
    session.may_flush = flushing(session.machine) if given is None else set(given.split(","))
    session.skipped = Counter()


def counts(session):
    """Of the last line."""
    skipped = sorted(session.skipped.items())
    return "".join(f", {count} dispatches on {name} not compared: {why}" for (name, why), count in skipped)


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
    number = program.seed + program.kernels.index(kernel)
    got, subnormals = watched(machine, path, kernel)
    found = {"races": race(expected, got)}
    for name in in_turns(machine, number) if session.options.turns else machine.names:
        why = why_not_compared(program, kernel, name, session.may_flush, subnormals)
        if why:
            with session.lock:
                session.skipped[family(name), why] += 1
        else:
            found[name] = difference(expected, dispatch(machine, path, kernel, name), name)
    for name, words in found.items():
        if words:
            session.fault_of_cone(f"seed {program.seed}: {name}: {kernel.name}: {words}", program, kernel, name)


def race(expected, got):
    return f"race: {got[0][:300]}" if " race on " in got[0] or counted(got[0]) != counted(expected[0]) else None


def differs(session, path, program, kernel, name, expected):
    machine = session.machine
    got, subnormals = watched(machine, path, kernel) if name == "races" or family(name) in session.may_flush else (None, False)
    if name == "races":
        return race(expected, got) is not None
    return not why_not_compared(program, kernel, name, session.may_flush, subnormals) and \
        difference(expected, dispatch(machine, path, kernel, name), name) is not None


def still(session, program, kernel, name):
    """Of a tree that was cut: it is accepted, and the fault is there."""
    machine = session.machine

    def test(tree):
        path = write_program(machine, program, tree)
        if name == "check":
            return fault_of_check(machine, path)[0] is not None
        expected = dispatch(machine, path, kernel, "interp")
        if expected[1] not in (0, 1):
            return name == "interp" and expected[1] != 2
        if "Error " in expected[0] or name == "interp":
            return False
        return differs(session, path, program, kernel, name, expected)
    return test


def found_text(program, tree, kernel, words):
    """A difference as it is written: what differed, how to run it, and all modules."""
    texts = program.texts(tree)
    main = texts.pop("program.cone")
    run = kernel.comments() if kernel else ""
    more = "".join(f"// other.cone:\n{re.sub('^', '// ', text, flags=re.M)}\n" for text in texts.values())
    return f"// {words}\n{run}{more}{main}"


def keep(folder, test, program, tree, kernel, name, words):
    """Makes the difference a test that runs on the device at the level where it was found, or on all devices. A second
    module goes into Inputs."""
    texts = program.texts(tree, test)
    main = texts.pop(f"{test}.cone")
    device, environment = CONFIGURATIONS.get(name, ("", {}))
    level = "env " + " ".join(f"{k}={v}" for k, v in environment.items()) + " " if environment else ""
    where = f"--devices {device} " if environment else ""
    run = f"// RUN: {level}%run_dispatches {where}%s | FileCheck %s\n// CHECK: 1 kernels, {{{{[0-9]+}}}} runs each, 0 differences\n"
    comments = kernel.comments(f"--package Inputs/{test} " if texts else "") if kernel else ""
    for file, text in texts.items():
        write(os.path.join(folder, "Inputs", test, file), text)
    if not kernel:
        run = "// RUN: %sspur check --prove %s\n" if not texts else f"// RUN: %sspur check --prove --package %S/Inputs/{test} %s\n"
    path = os.path.join(folder, f"{test}.cone")
    write(path, f"// {words}\n{run}{comments}{main}")
    return path


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def of_one_kernel(program, kernel):
    """The tree without the other kernels."""
    tree = program.tree.copy()
    main = tree.kids[0]
    main.kids = [k for k in main.kids if k.kind != "kernel" or k.name == kernel.name]
    return tree


def smaller(session, program, kernel, name):
    tree = of_one_kernel(program, kernel) if kernel else program.tree
    test = still(session, program, kernel, name)
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
    found, forms, refused = Counter(), Counter(), 0
    for seed in session.seeds():
        program = random_program(seed)
        path = write_program(session.machine, program)
        for module in program.texts():
            forms += of_module(session.machine.sspur, os.path.join(os.path.dirname(path), module))
        done = session.machine.command(["build", "--target", "kir", path, "-o", session.machine.path("coverage.kir")])
        session.programs += 1
        refused += done[2] != 0
        if not done[2]:
            with open(session.machine.path("coverage.kir"), encoding="utf-8") as file:
                found += Counter(re.findall(r"\b[a-z]+[a-z0-9_]*\b", file.read()))
        shutil.rmtree(os.path.dirname(path))
    print(share(found, set(operations()) - NOT_CONE, "operations of ir_ops.def that Cone has"))
    print(share(forms, FORMS, "forms of Cone"))
    print(f"{session.programs} programs, {refused} refused")
