/**
 * Runs before the command is loaded, which is slow on a busy machine: until `collect` handles signals itself, SIGTERM and SIGINT exit with 0, because
 * nothing is open yet.
 */
if (process.argv[2] === 'collect') {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
