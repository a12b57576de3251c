#!/usr/bin/env node
/** The command `faultline`. It listens to signals before its commands load, which takes a while on a busy machine. */

// SIGUSR1 would open Node's debugger on a port, and SIGUSR2 would end the process: neither does anything to a command, and `run` passes both on to
// its program.
for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => undefined);

// Until `collect` handles signals itself, SIGTERM and SIGINT exit with 0: nothing is open yet.
if (process.argv[2] === 'collect') {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}

const { runCommandLine } = await import('./cli.js');
// Not awaited: a process that has nothing left to wait for ends with 0.
void runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
