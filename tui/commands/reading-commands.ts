import type { Argv } from 'yargs';
import { ISSUE_SORTS } from '../../core/contract/reader.js';
import { addBrowseCommand } from './browse-command.js';
import { type CommandContext, readerOptions, withReader } from './command-context.js';
import { DETAIL_FORMATS, formatOptions, LIST_FORMATS } from './printing-command.js';

/** Adds the commands that read, in the order of the help; each is imported on its first call. */
export function addReadingCommands(cli: Argv, context: CommandContext): void {
  addBrowseCommand(cli, context);
  addIssueCommands(cli, context);
  addEventCommands(cli, context);
  addExplainCommand(cli, context);
  addExportCommand(cli, context);
  addRejectedCommand(cli, context);
}

function addIssueCommands(cli: Argv, context: CommandContext): void {
  const { defaultUrl } = context;
  cli.command(
    'issues',
    'Print the issues',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), LIST_FORMATS, 'NDJSON')
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only matching issues, for example "level:error service:api timeout"',
        })
        .option('sort', {
          choices: ISSUE_SORTS,
          default: 'last_seen' as const,
          describe: 'Order; the latest, largest or most severe first',
        })
        .option('limit', { type: 'number', default: 50, describe: 'Maximum number of issues' })
        .example('$0 issues --query env:production --sort count', 'the most frequent ones of production'),
    async (options) => {
      const { runIssues } = await import('./issues.js');
      await withReader(context, options, (call) => runIssues({ ...options, ...call }));
    },
  );
  cli.command(
    'issue <id>',
    'Print one issue: its state, its history, and why its events are grouped',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), DETAIL_FORMATS, 'NDJSON')
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Issue id, or at least its first 8 characters',
        })
        .example('$0 issue 4c1f4d51', '')
        .example('$0 issue 4c1f4d51 --format markdown', 'for an issue tracker, with its latest event'),
    async (options) => {
      const { runIssue } = await import('./issue.js');
      await withReader(context, options, (call) => runIssue({ ...options, ...call, issueId: options.id }));
    },
  );
}

function addEventCommands(cli: Argv, context: CommandContext): void {
  const { defaultUrl } = context;
  cli.command(
    'events [issue]',
    'Print the events of an issue, or of all, newest first',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), LIST_FORMATS, 'NDJSON')
        .positional('issue', { type: 'string', describe: 'Issue id or its start (default: events of all issues)' })
        .option('query', {
          type: 'string',
          nargs: 1,
          describe: 'Only matching events, for example "release:v1.4.2 user_id:u-7"',
        })
        .option('limit', { type: 'number', default: 50, describe: 'Maximum number of events' })
        .option('watch', { type: 'boolean', default: false, describe: 'Also print new events, until interrupted' })
        .example('$0 events 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 --json', 'for jq')
        .example('$0 events --query "user_id:u-7 received_at:<1h"', 'of all issues')
        .example('$0 events --watch | jq -r .message', 'as they arrive'),
    async (options) => {
      const { runEvents } = await import('./events.js');
      const { issue: issueId, watch: isWatch } = options;
      await withReader(context, options, (call) => runEvents({ ...options, ...call, issueId, isWatch }));
    },
  );
  cli.command(
    'event <id>',
    'Print one event: summary, tags, raw payload with its file and line, normalized event',
    (command) =>
      formatOptions(readerOptions(command, defaultUrl), DETAIL_FORMATS, 'the same')
        .positional('id', { type: 'string', demandOption: true, describe: 'Event id' })
        .example('$0 event 019a3c5e-7d2f-7a10-8000-00004b1d2c3e', 'the detail view as text'),
    async (options) => {
      const { runEvent } = await import('./event.js');
      await withReader(context, options, (call) => runEvent({ ...options, ...call, eventId: options.id }));
    },
  );
}

function addExplainCommand(cli: Argv, context: CommandContext): void {
  cli.command(
    'explain <a> <b>',
    'Explain why two events or issues have one issue or two, and which rule would change that',
    (command) =>
      readerOptions(command, context.defaultUrl)
        .positional('a', { type: 'string', demandOption: true, describe: 'Id of an event or an issue' })
        .positional('b', { type: 'string', demandOption: true, describe: 'Id of another one' })
        .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
        .example(
          '$0 explain 4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11 019a3c5e-7d2f-7a10-8000-00004b1d2c3e',
          'the rule is YAML to paste into a configuration',
        ),
    async (options) => {
      const { runExplain } = await import('./explain.js');
      await withReader(context, options, (call) => runExplain({ ...options, ...call }));
    },
  );
}

function addExportCommand(cli: Argv, context: CommandContext): void {
  cli.command(
    'export',
    'Export all matching events or issues, one per line',
    (command) =>
      readerOptions(command, context.defaultUrl)
        .option('query', { type: 'string', nargs: 1, describe: 'Only matching events or issues' })
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
        .option('output', { type: 'string', alias: 'o', describe: 'File to create (default: standard output)' })
        .option('force', { type: 'boolean', default: false, describe: 'Replace an existing file' })
        .example('$0 export --query "release:v1.4.2 level:error" > failures.ndjson', '')
        .example('$0 export --issues --format csv --output issues.csv', ''),
    async (options) => {
      const { runExport } = await import('./export.js');
      await withReader(context, options, (call) => runExport({ ...options, ...call }));
    },
  );
}

/** The command reads the data folder itself, also while a collector runs. */
function addRejectedCommand(cli: Argv, { streams, defaultDirectory, done }: CommandContext): void {
  cli.command(
    'rejected',
    'Print payloads that receivers rejected, newest first: a table, or in a pipe one record per line',
    (command) =>
      command
        .option('data', {
          type: 'string',
          default: defaultDirectory,
          describe: 'Data folder; it is only read, even while its collector runs',
        })
        .option('code', { type: 'string', describe: 'Only this code, for example MALFORMED_JSON' })
        .option('receiver', { type: 'string', describe: 'Only this receiver, for example events' })
        .option('since', { type: 'string', describe: 'Only the latest, for example of 30m or 24h' })
        .option('limit', { type: 'number', describe: 'Maximum number (default: 50 in a table, else all)' })
        .option('json', { type: 'boolean', default: false, describe: 'Print the records on a terminal too' })
        .example('$0 rejected --since 24h --code EVENT_INVALID', 'invalid events since yesterday')
        .example("$0 rejected | jq -c '.payload // empty' > rejected.ndjson", 'payloads, to be fixed and sent again'),
    async (options) => {
      const { runRejected } = await import('./rejected.js');
      done(await runRejected({ ...options, directory: options.data, env: process.env, ...streams }));
    },
  );
}
