"""Prints a program with a kernel of many additions that are checked, and a launch in which one of them overflows.
Usage: many_checks.py ADDITIONS FAILING"""
import sys

count, failing = int(sys.argv[1]), sys.argv[2]
print("kernel fn adds(x: &[Int], y: &mut [Int]) @grid(y.len, 64)\n= do\n  var s = x[gid + %d]" % count)
for n in range(count):
    print("  s := s + x[%d]" % n)
print("""  y[gid] := s

fn main() ! dev, log
= do
  x = dev_int((0..%d).map(i => if i == %s then 9223372036854775807 else 1))
  y = dev_int((0..5).map(i => 0))
  adds(&x, &mut y)
  log("{y.to_list}")""" % (count + 5, failing))
