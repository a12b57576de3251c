#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { hideBin } from 'yargs/helpers';
import type { FailureReader } from './core/reader.js';

/** Exit codes of every command: 0 done, 1 failed, 2 called wrongly. */
const FAILED = 1;
const USAGE = 2;

const DEFAULT_URL = 'http://localhost:4319';
const DEFAULT_DIRECTORY = './faultline-data';

/** The command line itself is wrong; its message says how. */
class UsageError extends Error {}

/** Stands for a lone dash while yargs 18.2 parses, which leaves one out of a list of positionals. */
const DASH = '\u0000-';

const streams = { stdout: process.stdout, stderr: process.stderr };
// A reader that went away (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** The options of every command that reads. */
function readerOptions<T>(command: Argv<T>) {
  return command
    .option('url', {
      type: 'string',
      describe: `Collector to read from (default: ${DEFAULT_URL}, else the local data folder)`,
    })
    .option('data', { type: 'string', describe: 'Data folder to read from, without a collector' })
    .conflicts('url', 'data');
}

interface ReaderChoice {
  url?: string | undefined;
  data?: string | undefined;
}

/** A collector by address, a folder, or whichever of the two defaults is there. */
async function openReader(choice: ReaderChoice): Promise<FailureReader> {
  const { openChosenReader } = await import('./tui/commands/open-reader.js');
  return await openChosenReader({
    url: choice.url,
    directory: choice.data,
    defaultUrl: DEFAULT_URL,
    defaultDirectory: DEFAULT_DIRECTORY,
    openFolder: async (directory) => {
      const { openFolderReader } = await import('./core/storage/folder-reader.js');
      const { computeFingerprint } = await import('./core/fingerprint/compute-fingerprint.js');
      return await openFolderReader({ directory, fingerprint: computeFingerprint });
    },
  });
}

/** Runs a printing command over a reader and closes the reader whatever happens. */
async function withReader(choice: ReaderChoice, run: (reader: FailureReader) => Promise<number>): Promise<number> {
  const reader = await openReader(choice);
  try {
    return await run(reader);
  } finally {
    await reader.close();
  }
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const found =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return typeof found === 'string' ? found : 'unknown';
}

/** Runs one command line and answers the exit code. Every command is imported when it is called, so that none pays for another. */
async function main(args: readonly string[]): Promise<number> {
  let exitCode: number | undefined;
  const done = (code: number): void => {
    exitCode = code;
  };
  const line = yargs(args.map((word) => (word === '-' ? DASH : word)))
    .scriptName('faultline')
    .usage('$0 <command>\n\nCollects failures beside your services and shows them in a terminal.')
    .version(version())
    .alias('h', 'help')
    // A query may begin with a dash: `--query -env:staging`.
    .parserConfiguration({ 'nargs-eats-options': true })
    .strict()
    .strictCommands()
    .demandCommand(1, 'Name a command; `faultline --help` lists them.')
    .recommendCommands()
    .wrap(Math.min(110, process.stdout.columns ?? 80))
    .completion('completion', 'Print a script for shell completion')
    .exitProcess(false)
    .fail((message, error) => {
      throw (
        error ??
        new UsageError(`${message}

Run \`faultline --help\` for what there is.`)
      );
    });

  line.command(
    'collect',
    'Run the collector',
    (command) =>
      command
        .option('config', {
          type: 'string',
          array: true,
          default: [],
          describe: 'Configuration file; later ones are merged over earlier ones',
        })
        .option('set', {
          type: 'string',
          array: true,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
        .example('$0 collect', 'on the embedded default, data in ./faultline-data')
        .example(
          '$0 collect --config faultline.yaml --set exporters.store.directory=/var/lib/faultline',
          'as a service would',
        ),
    async (options) => {
      const { keepHeapTight } = await import('./collector/commands/tight-heap.js');
      keepHeapTight();
      const { runCollect } = await import('./collector/commands/collect.js');
      done(await runCollect({ config: options.config, set: options.set, env: process.env, ...streams }));
    },
  );
  line.command(
    'validate',
    'Check a configuration without running it',
    (command) =>
      command
        .option('config', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'Configuration file; may be given several times',
        })
        .option('set', {
          type: 'string',
          array: true,
          default: [],
          describe: 'One setting over all files, as a.b.c=value',
        })
        .example('$0 validate --config faultline.yaml', 'lists every problem with file:line:column'),
    async (options) => {
      const { runValidate } = await import('./collector/commands/validate.js');
      done(await runValidate({ config: options.config, set: options.set, env: process.env, ...streams }));
    },
  );
  line.command(
    'browse',
    'Open the terminal: issues, their events, one event',
    (command) =>
      readerOptions(command)
        .example('$0 browse', `the collector at ${DEFAULT_URL}, else ${DEFAULT_DIRECTORY}`)
        .example('$0 browse --data /var/lib/faultline', 'a folder, read-only, also beside its collector'),
    async (options) => {
      const { runBrowse } = await import('./tui/commands/browse.js');
      done(
        await runBrowse({ openReader: () => openReader(options), env: process.env, stdin: process.stdin, ...streams }),
      );
    },
  );
  line.command(
    'issues',
    'Print the issues',
    (command) =>
      readerOptions(command)
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
      const { runIssues } = await import('./tui/commands/issues.js');
      done(
        await withReader(options, (reader) =>
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
      readerOptions(command)
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
      const { runEvents } = await import('./tui/commands/events.js');
      done(
        await withReader(options, (reader) =>
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
      readerOptions(command)
        .positional('id', { type: 'string', demandOption: true, describe: 'Event id' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example('$0 event 019a3c5e-7d2f-7a10-8000-00004b1d2c3e', 'the detail view as text'),
    async (options) => {
      const { runEvent } = await import('./tui/commands/event.js');
      done(
        await withReader(options, (reader) =>
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
          default: DEFAULT_DIRECTORY,
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
      const { runRejected } = await import('./tui/commands/rejected.js');
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
  line.command(
    'import <file..>',
    'Put raw payloads (NDJSON, `-` for standard input) into a data folder that no collector is using',
    (command) =>
      command
        .positional('file', { type: 'string', array: true, demandOption: true, describe: 'NDJSON files' })
        .option('data', { type: 'string', default: DEFAULT_DIRECTORY, describe: 'Data folder' })
        .option('id', {
          type: 'string',
          describe: 'Name of this import; repeated with the same name it goes on where it was interrupted',
        })
        .option('app', { type: 'string', describe: 'App of events that name none' })
        .option('service', { type: 'string', describe: 'Service of events that name none' })
        .option('env', { type: 'string', describe: 'Environment of events that name none' })
        .example('$0 import failures.ndjson --id march', 'can be interrupted and repeated')
        .example('zcat failures.ndjson.gz | $0 import -', 'from a pipe'),
    async (options) => {
      const { runImport } = await import('./collector/commands/import.js');
      const defaults = { app: options.app, service: options.service, env: options.env };
      done(
        await runImport({
          files: options.file.map((file) => (file === DASH ? '-' : file)),
          directory: options.data,
          id: options.id,
          defaults,
          stdin: process.stdin,
          ...streams,
        }),
      );
    },
  );
  line.command(
    'verify',
    'Check a data folder against its checksums and its index, also beside its collector',
    (command) =>
      command
        .option('data', { type: 'string', default: DEFAULT_DIRECTORY, describe: 'Data folder' })
        .option('json', { type: 'boolean', default: false, describe: 'Print NDJSON' })
        .example('$0 verify', `names file, line and damage in ${DEFAULT_DIRECTORY}; exit code 0 when there is none`),
    async (options) => {
      const { runVerify } = await import('./collector/commands/verify.js');
      done(await runVerify({ directory: options.data, json: options.json, ...streams }));
    },
  );
  line.command(
    'rebuild',
    'Make the index of a data folder anew from its record, while no collector is using it',
    (command) =>
      command
        .option('data', { type: 'string', default: DEFAULT_DIRECTORY, describe: 'Data folder' })
        .example('$0 rebuild --data /var/lib/faultline', 'after partitions were moved away or put back'),
    async (options) => {
      const { runRebuild } = await import('./collector/commands/rebuild.js');
      done(await runRebuild({ directory: options.data, ...streams }));
    },
  );
  line.command(
    'fingerprint',
    'Group raw payloads from standard input (NDJSON) without storing them',
    (command) =>
      command.example(
        '$0 fingerprint < failures.ndjson',
        'one line {"fingerprint","version","title","basis"} for each',
      ),
    async () => {
      const { runFingerprint } = await import('./collector/commands/fingerprint.js');
      done(await runFingerprint({ stdin: process.stdin, ...streams }));
    },
  );
  line.command(
    'demo',
    'A collector in a temporary folder, the failures of a small shop, and the terminal on top',
    (command) =>
      command
        .option('events', { type: 'number', default: 4000, describe: 'Events of the past day to begin with' })
        .option('seed', { type: 'number', default: 1, describe: 'Another number, other traffic' })
        .example('$0 demo', 'ends with q and leaves nothing behind'),
    async (options) => {
      const { runDemo } = await import('./collector/commands/demo.js');
      const browse = async (url: string): Promise<number> => {
        const { runBrowse } = await import('./tui/commands/browse.js');
        return await runBrowse({
          openReader: () => openReader({ url }),
          env: process.env,
          stdin: process.stdin,
          ...streams,
        });
      };
      done(
        await runDemo({
          pastEvents: options.events,
          seed: options.seed,
          browse,
          isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
          ...streams,
        }),
      );
    },
  );

  await line.parseAsync();
  return exitCode ?? 0;
}

/** Says what went wrong and answers the exit code. */
async function explain(error: unknown): Promise<number> {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return USAGE;
  }
  const { errorText } = await import('./tui/commands/error-text.js');
  process.stderr.write(errorText(error));
  return FAILED;
}

process.exitCode = await main(hideBin(process.argv)).catch(explain);
