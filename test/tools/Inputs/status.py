"""status.py EXPECTED COMMAND...: runs the command and fails unless its status is the expected one."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL).returncode
if status != int(sys.argv[1]):
    sys.exit("status %d, not %s: %s" % (status, sys.argv[1], " ".join(sys.argv[2:])))
