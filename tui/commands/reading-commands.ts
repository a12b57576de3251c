import type { Argv } from 'yargs';
import type { FailureReader } from '../../core/reader.js';

/** Where a command reads from; the default is a collector or a folder, whichever is there. */
export interface ReaderChoice {
  url?: string | undefined;
  data?: string | undefined;
}

/** What every command that reads is given. */
export interface ReadingSurroundings {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  readonly openReader: (choice: ReaderChoice) => Promise<FailureReader>;
  /** The collector and the data folder where none is named. */
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
}

/** The options of every command that reads. */
function readerOptions<T>(command: Argv<T>, defaultUrl: string) {
  return command
    .option('url', {
      type: 'string',
      describe: `Collector to read from (default: ${defaultUrl}, else the local data folder)`,
    })
    .option('data', { type: 'string', describe: 'Data folder to read from, without a collector' })
    .conflicts('url', 'data');
}

/** Runs a printing command over a reader and closes the reader whatever happens. */
async function withReader(
  opening: Promise<FailureReader>,
  run: (reader: FailureReader) => Promise<number>,
): Promise<number> {
  const reader = await opening;
  try {
    return await run(reader);
  } finally {
    await reader.close();
  }
}

/** Adds the terminal and the commands that print what it shows; each is imported when it is called. */
export function addReadingCommands(line: Argv, surroundings: ReadingSurroundings): void {
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
  line.command(
    'issues',
    'Print the issues',
    (command) =>
      readerOptions(command, defaultUrl)
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only what matches, for example "level:error service:api timeout"',
        })
        .option('sort', {
          choices: ['last_seen', 'first_seen', 'count'] as const,
          default: 'last_seen' as const,
          describe: 'Order, descending',
        })
        .option('limit', { type: 'number', default: 50, describe: 'At most so many' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 issues --query env:production --sort count', 'the most frequent ones of production'),
    async (options) => {
      const { runIssues } = await import('./issues.js');
      done(
        await withReader(openReader(options), (reader) =>
          runIssues({
            reader,
            query: options.query,
            sort: options.sort,
            limit: options.limit,
            json: options.json,
            env: process.env,
            ...streams,
          }),
        ),
      );
    },
  );
  line.command(
    'events <issue>',
    'Print the events of an issue, newest first',
    (command) =>
      readerOptions(command, defaultUrl)
        .positional('issue', { type: 'string', demandOption: true, describe: 'Issue id' })
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only what matches, for example "release:v1.4.2 user_id:u-7"',
        })
        .option('limit', { type: 'number', default: 50, describe: 'At most so many' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 events 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 --json', 'for jq'),
    async (options) => {
      const { runEvents } = await import('./events.js');
      done(
        await withReader(openReader(options), (reader) =>
          runEvents({
            reader,
            issueId: options.issue,
            query: options.query,
            limit: options.limit,
            json: options.json,
            env: process.env,
            ...streams,
          }),
        ),
      );
    },
  );
  line.command(
    'event <id>',
    'Print one event: summary, tags, raw payload with its file and line, normalized event',
    (command) =>
      readerOptions(command, defaultUrl)
        .positional('id', { type: 'string', demandOption: true, describe: 'Event id' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 event 019a3c5e-7d2f-7a10-8000-00004b1d2c3e', 'the detail view as text'),
    async (options) => {
      const { runEvent } = await import('./event.js');
      done(
        await withReader(openReader(options), (reader) =>
          runEvent({ reader, eventId: options.id, json: options.json, env: process.env, ...streams }),
        ),
      );
    },
  );
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
