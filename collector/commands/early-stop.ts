/** Until `collect`, which loads slowly on a busy machine, handles signals itself, SIGTERM and SIGINT exit with 0: nothing is open yet. */
if (process.argv[2] === 'collect') {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
