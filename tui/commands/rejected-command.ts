import type { Argv } from 'yargs';
import type { ReadingSurroundings } from './reading-surroundings.js';

/** Adds the command that prints what receivers rejected; it reads the folder itself. */
export function addRejectedCommand(line: Argv, surroundings: ReadingSurroundings): void {
  const { streams, defaultDirectory, done } = surroundings;
  line.command(
    'rejected',
    'Print payloads that receivers rejected, newest first: a table, or in a pipe one record per line',
    (command) =>
      command
        .option('data', {
          type: 'string',
          default: defaultDirectory,
          describe: 'Data folder; it is only read, also beside its collector',
        })
        .option('code', { type: 'string', describe: 'Only this code, for example MALFORMED_JSON' })
        .option('receiver', { type: 'string', describe: 'Only this receiver, for example events' })
        .option('since', { type: 'string', describe: 'Only the last while, for example 30m or 24h' })
        .option('limit', { type: 'number', describe: 'At most so many (default: 50 in a table, else all)' })
        .option('json', { type: 'boolean', default: false, describe: 'Print the records on a terminal too' })
        .example('$0 rejected --since 24h --code EVENT_INVALID', 'what was wrong since yesterday')
        .example("$0 rejected | jq -c '.payload // empty' > rejected.ndjson", 'payloads, to be mended and sent again'),
    async (options) => {
      const { runRejected } = await import('./rejected.js');
      const { code, receiver, since, limit, json } = options;
      done(
        await runRejected({
          directory: options.data,
          code,
          receiver,
          since,
          limit,
          json,
          env: process.env,
          ...streams,
        }),
      );
    },
  );
}
