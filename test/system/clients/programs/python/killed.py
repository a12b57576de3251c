import os
import signal

print("counting the money", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
