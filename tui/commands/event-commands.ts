import type { Argv } from 'yargs';
import { DETAIL_FORMATS, formatOptions, LIST_FORMATS } from './printing-format.js';
import { readerOptions, type StoreSurroundings, withReader } from './store-surroundings.js';

/** Adds the commands that print events. */
export function addEventCommands(line: Argv, surroundings: StoreSurroundings): void {
  const { defaultUrl } = surroundings;
  line.command(
    'events [issue]',
    'Print the events of an issue, or of all, newest first',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), LIST_FORMATS, 'NDJSON')
        .positional('issue', { type: 'string', describe: 'Issue id or its start (default: events of all issues)' })
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only what matches, for example "release:v1.4.2 user_id:u-7"',
        })
        .option('limit', { type: 'number', default: 50, describe: 'At most so many' })
        .option('watch', { type: 'boolean', default: false, describe: 'Go on with what arrives, until interrupted' })
        .example('$0 events 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 --json', 'for jq')
        .example('$0 events --query "user_id:u-7 received_at:<1h"', 'of all issues')
        .example('$0 events --watch | jq -r .message', 'as they arrive'),
    async (options) => {
      const { runEvents } = await import('./events.js');
      const { issue: issueId, query, limit, json, format, watch: isWatch } = options;
      await withReader(surroundings, options, (call) =>
        runEvents({ ...call, issueId, query, limit, json, format, isWatch }),
      );
    },
  );
  line.command(
    'event <id>',
    'Print one event: summary, tags, raw payload with its file and line, normalized event',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), DETAIL_FORMATS, 'the same')
        .positional('id', { type: 'string', demandOption: true, describe: 'Event id' })
        .example('$0 event 019a3c5e-7d2f-7a10-8000-00004b1d2c3e', 'the detail view as text'),
    async (options) => {
      const { runEvent } = await import('./event.js');
      const { id: eventId, json, format } = options;
      await withReader(surroundings, options, (call) => runEvent({ ...call, eventId, json, format }));
    },
  );
}
