import type { Argv } from 'yargs';
import { type ReadingSurroundings, readerOptions } from './reading-surroundings.js';

/** Adds the terminal. */
export function addBrowseCommand(line: Argv, surroundings: ReadingSurroundings): void {
  const { streams, openReader, defaultUrl, defaultDirectory, done } = surroundings;
  line.command(
    'browse',
    'Open the terminal: issues, their events, one event',
    (command) =>
      readerOptions(command, defaultUrl)
        .example('$0 browse', `the collector at ${defaultUrl}, else ${defaultDirectory}`)
        .example('$0 browse --data /var/lib/faultline', 'a folder, read-only, also beside its collector'),
    async (options) => {
      const { runBrowse } = await import('./browse.js');
      done(
        await runBrowse({ openReader: () => openReader(options), env: process.env, stdin: process.stdin, ...streams }),
      );
    },
  );
}
