"""Runs one command on some cores and prints its exit code, its seconds and its peak memory in KiB.

    python3 -I -S measure.py THREADS TEXT COMMAND [ARGUMENT ...]

The file TEXT receives the output of the command. Linux counts the memory of a parent as that of its child until the child becomes another
program. This program is therefore small: compare.py itself holds scenes and pairs.
"""

import os
import subprocess
import sys
import time

threads, text, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
with open(text, "wb") as file:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
print(os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss)
