"""Prints a kernel that is long in the way its argument names."""
import sys

HEAD = "kernel fn k(x: &[Int], y: &mut [Int]) @grid(y.len, 4)\n= do\n"
way = sys.argv[1]
if way == "sum":
    body = "  y[gid] := " + " + ".join(["x[gid]"] * 900)
elif way == "literals":
    body = "  y[gid] := " + " + ".join(["1"] * 900)
elif way == "methods":
    body = "  y[gid] := x[gid]" + ".abs" * 900
elif way == "and":
    body = "  if " + " and ".join(["x[gid] > 0"] * 900) + " then y[gid] := 1"
elif way == "or":
    body = "  if " + " or ".join(["y[gid] > 0"] * 900) + " then y[gid] := 1 else y[gid] := 2"
elif way == "statements":
    body = "\n".join("  a%d = x[gid] + %d" % (i, i) for i in range(5000)) + "\n  y[gid] := a4999"
elif way == "stores":
    body = "\n".join("  y[gid] := y[gid] + %d" % i for i in range(5000))
elif way == "name":
    body = "  %s = x[gid]\n  var v%s = %s\n  y[gid] := v%s" % (("n" * 300,) * 4)
elif way == "else-if":
    body = "  if x[gid] == 0 then y[gid] := 0\n" + "".join(
        "  else if x[gid] == %d then y[gid] := %d\n" % (i, i) for i in range(1, int(sys.argv[2]))
    )
elif way == "else-if-value":
    body = "  y[gid] := if x[gid] == 0 then 0" + "".join(
        " else if x[gid] == %d then %d" % (i, i) for i in range(1, int(sys.argv[2]))
    ) + " else 7"
elif way == "unknown":
    body = "\n".join("  a%d = b%d" % (i, i) for i in range(3000))
print(HEAD + body)
