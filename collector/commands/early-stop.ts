/**
 * Runs before the command is loaded, which takes a while on a busy machine: until `collect` listens itself, SIGTERM and SIGINT end it with 0, because
 * nothing is open yet. Before Node.js runs this, the system's own way of ending applies.
 */
if (process.argv[2] === 'collect') {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
