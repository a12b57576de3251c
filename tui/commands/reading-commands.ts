import type { Argv } from 'yargs';
import { addBrowseCommand } from './browse-command.js';
import { addEventCommands } from './event-commands.js';
import { addIssueCommands } from './issue-commands.js';
import { readerOptions, type StoreSurroundings, withReader } from './store-surroundings.js';

/** Adds the terminal and the commands that print what it shows, in the order of the help; each is imported when it is called. */
export function addReadingCommands(line: Argv, surroundings: StoreSurroundings): void {
  addBrowseCommand(line, surroundings);
  addIssueCommands(line, surroundings);
  addEventCommands(line, surroundings);
  addExplainCommand(line, surroundings);
  addExportCommand(line, surroundings);
  addRejectedCommand(line, surroundings);
}

/** Adds the command that compares how two events or issues are grouped. */
function addExplainCommand(line: Argv, surroundings: StoreSurroundings): void {
  line.command(
    'explain <a> <b>',
    'Say why two events or issues are one issue or two, and what rule would change that',
    (command) =>
      readerOptions(command, surroundings.defaultUrl)
        .positional('a', { type: 'string', demandOption: true, describe: 'Id of an event or an issue' })
        .positional('b', { type: 'string', demandOption: true, describe: 'Id of another one' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example(
          '$0 explain 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 019a3c5e-7d2f-7a10-8000-00004b1d2c3e',
          'the rule is YAML to paste into a configuration',
        ),
    async (options) => {
      const { runExplain } = await import('./explain.js');
      const { a, b, json } = options;
      await withReader(surroundings, options, (call) => runExplain({ ...call, a, b, json }));
    },
  );
}

/** Adds the command that writes out what was collected. */
function addExportCommand(line: Argv, surroundings: StoreSurroundings): void {
  line.command(
    'export',
    'Write out all events that match, or all issues, one a line',
    (command) =>
      readerOptions(command, surroundings.defaultUrl)
        .option('query', { type: 'string', nargs: 1, describe: 'Only what matches' })
        .option('issues', { type: 'boolean', default: false, describe: 'Issues instead of events' })
        .option('normalized', {
          type: 'boolean',
          default: false,
          describe: 'Normalized events instead of raw payloads with event_id and address',
        })
        .option('format', {
          choices: ['ndjson', 'csv'] as const,
          default: 'ndjson' as const,
          describe: 'NDJSON, or CSV for a spreadsheet',
        })
        .option('output', { type: 'string', alias: 'o', describe: 'A file to make (default: standard output)' })
        .option('force', { type: 'boolean', default: false, describe: 'Replace that file where it is there already' })
        .example('$0 export --query "release:v1.4.2 level:error" > failures.ndjson', '')
        .example('$0 export --issues --format csv --output issues.csv', ''),
    async (options) => {
      const { runExport } = await import('./export.js');
      const { query, issues: isOfIssues, normalized, format, output, force } = options;
      await withReader(surroundings, options, (call) =>
        runExport({ ...call, query, isOfIssues, normalized, format, output, force }),
      );
    },
  );
}

/** Adds the command that prints what receivers rejected; it reads the folder itself. */
function addRejectedCommand(line: Argv, { streams, defaultDirectory, done }: StoreSurroundings): void {
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
    async ({ data: directory, code, receiver, since, limit, json }) => {
      const { runRejected } = await import('./rejected.js');
      done(await runRejected({ directory, code, receiver, since, limit, json, env: process.env, ...streams }));
    },
  );
}
