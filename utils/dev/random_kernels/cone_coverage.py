"""Which constructs of Cone the programs have: kinds of nodes of frontend/cone/cone_ast.h, with their forms, of declarations and
of types. They are found in the trees that `cone-syntax` prints, which is built beside sspur."""
import os
import re
import shutil
import subprocess
from collections import Counter

WORD = r"[\w$]+"
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]

# What a form looks like in the printed tree. What is refused or only warned of (docs/cone.md) is not among them.
FORMS = {
    "integer": r"(?<![\w.~])-?\d+(?![\w.~])", "integer isize": r"-?\d+isize", "float": r"\d~(?!f)", "bool": r"\b(true|false)\b", "char": r"'U\+",
    "string": r'"', "name": r"\bself\b", "list": r"\(list ", "new": rf"\(new {WORD}", "new named": rf"\(new [^()]*? {WORD}: ",
    "new without parts": rf"\(new {WORD}\)", "new of generics": rf"\(new {WORD}\[(?!fill)", "new-array": r"\(new-array ", "new-array fill": r"\(new-array \S.*? fill ",
    "of": r"\(of ", "member": r"\(\.", "index": r"\(index ", "generic arguments": rf"\(index {WORD} [iuf]\d\d?\)", "range both": r"\(\.\.< [^_\s]",
"range to": r"\(\.\.< _", "call": r"\(call ", "negate": r"\(negate ", "complement": r"\(~ ",
    "not": r"\(not ", "and": r"\(and ", "or": r"\(or ", "is": r"\(is ", "borrow": r"\(& ", "borrow mut": r"\(&mut ", "borrow imm": r"\(&imm ",
    "borrow ro": r"\(&ro ", "borrow uni": r"\(&uni ", "dereference": r"\(\* [^\s()]+\)", "as": r"\(as ", "as of structs": r"\(as [^\n]*? (Two|Array)",
    "if": r"\(if ", "if else": r"\(else |\} else ", "if with a binding": rf"\(if {WORD} (Some|Ok|Error)", "match": r"\(match ", "case ==": r"\(case == ",
    "case is": r"\(case is ", "case with a binding": rf"\(case is {WORD} ", "case else": r"\(else \{", "block": r"^\s*\{", "while": r"\(while ",
    "while without a condition": r"\(while (?:'\w+ )?\{", "while with a label": r"\(while '", "each": r"\(each ", "each upward": r"\(each [^\n]*?\(<=? ",
    "each downward": r"\(each [^\n]*?\(>=? ", "each by": r"\(each [^\n]* by ", "each if": r"\(each [^\n]* if ", "each with a label": r"\(each '",
    "each of two": rf"\(each (?:'\w+ )?{WORD}, {WORD}", "each of elements": rf"\(each {WORD} {WORD} \{{", "closure": r"\(closure ",
    "closure =>": r"\(closure \(\w+\) ", "closure with a state": rf"\(closure \([^\n]*?\)[^\n]*? {WORD}: ", "closure without a result": r"\(closure \(\w+ usize\) \{",
    "tuple": r"\(tuple ", "local imm": r"\(imm ", "local mut": r"\(mut ", "local with a type": rf"\(imm {WORD} ([iuf]\d\d?|usize|bool|Array)",
    "local of several": rf"\((imm|mut) {WORD}, ", "local without a value": rf"\((imm|mut) {WORD} [iuf]\d\d?\)", "assign": r"\(= ", "assign several": r"\(= \(tuple ",
    "increment ++": r"\(\+\+ ", "increment --": r"\(-- ", "increment post ++": r"\(post\+\+ ", "increment post --": r"\(post-- ", "break": r"\(break\)",
    "break if": r"\(break (?:'\w+ )?if ", "break with a label": r"\(break '", "break with a value": r"\(break (?!if |'|\))", "continue": r"\(continue",
    "continue with a label": r"\(continue '", "return": r"\(return", "return if": r"\(return if ", "return of several": r"\(return \S+ \S+\)|\(return \(.*\) \S",
    # Declarations.
    "import": rf"^import {WORD}$", "import as": rf"^import {WORD} as ", "import use": rf"^import {WORD} use {WORD}", "import use as": r"^import .* use .* as ",
    "import use *": r"^import .* use \*$", "import use * but": r"^import .* use \* but ", "const": r"^const ", "global imm": r"^imm ", "global mut": r"^mut ",
    "workgroup": r"^mut \w+ @workgroup", "fn": r"^fn ", "fn pub": r"^pub fn ", "fn inline": r"^.*fn .* inline", "fn @compute": r"^fn \w+ @compute",
    "fn @initpure": r"@initpure", "fn of several results": rf"^.*fn [^\n]*\) {WORD}, {WORD}", "fn without a result": r"^fn \w+(\[.*\])?\([^\n]*\) (inline )?\{",
    "fn that never returns": r"\) Never ", "fn with a default": r"^.*fn [^\n(]*\([^\n]*? = ", "fn with a mut parameter": r"[(,] ?mut \w+ ", "fn of an Invocation": r"^fn place",
    "generic type": r"^fn \w+\[T", "generic value": r"\[(T, )?N usize\]", "generic signature": r"\[F fn\(", "generic with a trait": r"^fn \w+\[S \w+\]",
    "generic with two traits": r"\[T \w+ \+ \w+\]", "struct": r"struct ", "struct of generics": r"struct \w+\[", "struct of a trait": r"struct \w+ is \w+\n",
    "struct of two traits": r"struct \w+ is \w+, ", "field": r"^\s+field", "field pub": r"^\s+pub field", "field with a default": r"field \w+ \S+ = ",
    "method self": r"fn \w+\S*\(self[,)]", "method self &": r"\(self &[,)]", "method self &mut": r"\(self &mut[,)]",
    "init": r"\(self &new", "function of a struct": r"^  pub fn of\(", "trait": r"^trait ", "trait with a default": r"^trait[^\n]*\n(  fn [^\n]*\n)*  fn [^\n]*\{$",
    "enum": r"^enum ", "enum of generics": r"^enum \w+\[", "enum with a method": r"^enum [^\n]*\n(  (pub )?field [^\n]*\n)+  fn", "enum of a tag": r"^enum \w+ u\d",
    "enum with a number": r"^  (pub )?field \w+ = \d", "alias": r"^alias ",
    # Types.
    "type Option": r"\bOption\[|Option\b", "type ?T": r"[ (]\?\w", "type Result": r"\bResult\[", "type Self": r"\bSelf\b", "type &T": r" &\w", "type &mut T": r" &mut ",
    "type &uni T": r" &uni ", "type &ro T": r" &ro ", "type &imm T": r" &imm ", "type slice": r" &Array\[\w+\]", "type Array of Array": r"Array\[Array\[|Array\[\w+, \d, \d\]",
    "type usize": r"\busize\b", "type char": r"\bchar\b", "type Atomic": r"\bAtomic\[", "type Atomic in a field": r"field \w+ Atomic", "type Atomic in an array of a field": r"field \w+ Array\[Atomic",
    "slice in a field": r"field \w+ &Array", "type Invocation": r"\bInvocation\b",
}
FORMS.update({f"binary {op}": rf"\({re.escape(op)} [^\n()]|\({re.escape(op)} \(" for op in OPERATORS + ["==", "!=", "<", "<=", ">", ">="]})
FORMS.update({f"assign {op}=": rf"\({re.escape(op)}= " for op in OPERATORS})
FORMS.update({f"overload {op}": rf"overload {re.escape(op)}\(" for op in OPERATORS + ["==", "!=", "<", ">=", "~", "()", "[]"]})
FORMS.update({f"type {t}": rf"\b{t}\b" for t in "i8 i16 i32 i64 isize u8 u16 u32 u64 f32 f64 bool".split()})
FORMS.update({f"method {m}": rf"\(\.{m} " for m in """countOnes leadingZeros trailingZeros rotateLeft rotateRight shlMasked shrMasked sqrt sin cos
load store swap add sub min max bitAnd bitOr bitXor compareSwap loadOrdered storeOrdered swapOrdered addOrdered subOrdered minOrdered maxOrdered
bitAndOrdered bitOrOrdered bitXorOrdered compareSwapOrdered indexed mutItems inner Relaxed Acquire Release AcqRel SeqCst
globalId localId groupId localIndex groupCount""".split()})
FORMS.update({f"call {f}": rf"\(call {f}\b" for f in "workgroupBarrier storageBarrier assert panic unreachable todo srcLine isDebugBuild".split()})
FORMS.update({f"libc {f}": rf"\(\.{f}f? libc\)" for f in "sin cos tan asin acos atan atan2 exp log pow fmod floor ceil fabs".split()})
FORMS.update({f"mem.{f}": rf"\(\.{f} mem\)" for f in "atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor".split()})
COMPILED = {form: re.compile(pattern, re.M) for form, pattern in FORMS.items()}


def of_text(tree):
    return Counter(form for form, pattern in COMPILED.items() if pattern.search(tree))


def of_module(sspur, path):
    """The forms of a file."""
    tool = os.path.join(os.path.dirname(os.path.realpath(shutil.which(sspur) or sspur)), "cone-syntax")
    done = subprocess.run([tool, path], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return of_text(done.stdout)
