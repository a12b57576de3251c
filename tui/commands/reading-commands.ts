import type { Argv } from 'yargs';
import { ISSUE_SORTS } from '../../core/contract/reader.js';
import { addBrowseCommand } from './browse-command.js';
import { type CommandContext, flag, readerOptions, reading, required, text } from './command-context.js';
import { DETAIL_FORMATS, formatOptions, LIST_FORMATS } from './printing-command.js';

/** An option whose value may begin with a dash. */
const query = (describe: string) => ({ ...text(describe), nargs: 1 }) as const;
const SINCE = query('Only since 24h, a date or a release');
const MAX_TOKENS = { type: 'number', describe: 'Budget of --format brief, 500 to 8000 (default: 2000)' } as const;
const LIMIT = { type: 'number', default: 50, describe: 'Maximum number (default: 50)' } as const;

/** Adds the commands that read, in the order of the help; each is imported on its first call. */
export function addReadingCommands(cli: Argv, context: CommandContext): void {
  addBrowseCommand(cli, context);
  addIssues(cli, context);
  addIssue(cli, context);
  addEvents(cli, context);
  addEvent(cli, context);
  addExplain(cli, context);
  addExport(cli, context);
  addRejected(cli, context);
}

function addIssues(cli: Argv, context: CommandContext): void {
  cli.command(
    'issues',
    'List issues',
    (command) =>
      formatOptions(readerOptions(command, context.defaultUrl), LIST_FORMATS, 'NDJSON')
        .option('query', query('Filter, for example "level:error service:api timeout"'))
        .option('sort', {
          choices: ISSUE_SORTS,
          default: 'last_seen' as const,
          describe: `Sort order: ${ISSUE_SORTS.join(', ')} (default: last_seen)`,
        })
        .option('since', SINCE)
        .option('limit', LIMIT)
        .example('$0 issues --sort count --limit 10', 'the most frequent ones'),
    reading(context, async (call) => (await import('./issues.js')).runIssues(call)),
  );
}

function addIssue(cli: Argv, context: CommandContext): void {
  cli.command(
    'issue <id>',
    'Show one issue',
    (command) =>
      formatOptions(readerOptions(command, context.defaultUrl), DETAIL_FORMATS, 'NDJSON')
        .positional('id', required('Issue id; the first 8 characters are enough'))
        .option('max-tokens', MAX_TOKENS)
        .example('$0 issue 94cdb1e3', '')
        .example('$0 issue 94cdb1e3 --format markdown', '')
        .example('$0 issue 94cdb1e3 --format brief', 'for a language model'),
    reading(context, async (call) => (await import('./issue.js')).runIssue({ ...call, issueId: call.id })),
  );
}

function addEvents(cli: Argv, context: CommandContext): void {
  cli.command(
    'events [issue]',
    'List the events of an issue, or search all events',
    (command) =>
      formatOptions(readerOptions(command, context.defaultUrl), LIST_FORMATS, 'NDJSON')
        .positional('issue', text('Issue id; the first 8 characters are enough (default: all issues)'))
        .option('query', query('Filter, for example "release:v1.4.2 user_id:u-7"'))
        .option('since', SINCE)
        .option('limit', LIMIT)
        .option('watch', flag('Keep watching'))
        .example('$0 events 94cdb1e3', 'the newest first')
        .example('$0 events --query "user_id:u-7 received_at:<1h"', '')
        .example('$0 events --watch | jq -r .message', ''),
    reading(context, async (call) =>
      (await import('./events.js')).runEvents({ ...call, issueId: call.issue, isWatch: call.watch }),
    ),
  );
}

function addEvent(cli: Argv, context: CommandContext): void {
  cli.command(
    'event <id>',
    'Show one event',
    (command) =>
      formatOptions(readerOptions(command, context.defaultUrl), DETAIL_FORMATS, 'the same')
        .positional('id', required('Event id, or its short form such as 591f-0481'))
        .option('max-tokens', MAX_TOKENS)
        .example('$0 event $($0 events --limit 1 | jq -r .event_id)', ''),
    reading(context, async (call) => (await import('./event.js')).runEvent({ ...call, eventId: call.id })),
  );
}

function addExplain(cli: Argv, context: CommandContext): void {
  cli.command(
    'explain <a> <b>',
    'Explain why two events or issues are one, or two',
    (command) =>
      readerOptions(command, context.defaultUrl)
        .positional('a', required('Event or issue id, also a short one'))
        .positional('b', required('Event or issue id, also a short one'))
        .option('json', flag('Print JSON'))
        .example('$0 explain 806eb440 5c468ea6', 'with a rule to paste into a configuration'),
    reading(context, async (call) => (await import('./explain.js')).runExplain(call)),
  );
}

function addExport(cli: Argv, context: CommandContext): void {
  cli.command(
    'export',
    'Write matching events or issues to a file',
    (command) =>
      readerOptions(command, context.defaultUrl)
        .option('query', query('Filter, for example "release:v1.4.2 level:error"'))
        .option('issues', flag('Issues instead of events'))
        .option('normalized', flag('Normalized events instead of raw payloads'))
        .option('format', {
          choices: ['ndjson', 'csv'] as const,
          default: 'ndjson' as const,
          describe: 'ndjson, or csv for a spreadsheet (default: ndjson)',
        })
        .option('output', { type: 'string', alias: 'o', describe: 'Output file (default: standard output)' })
        .option('force', flag('Overwrite the file'))
        .example('$0 export --query service:payments --output failures.ndjson', '')
        .example('$0 export --issues --format csv --output issues.csv', ''),
    reading(context, async (call) => (await import('./export.js')).runExport(call)),
  );
}

function addRejected(cli: Argv, context: CommandContext): void {
  cli.command(
    'rejected',
    'List the payloads that were rejected, and why',
    (command) =>
      readerOptions(command, context.defaultUrl)
        .option('code', text('Only this code, for example MALFORMED_JSON'))
        .option('receiver', text('Only this receiver, for example events'))
        .option('since', SINCE)
        .option('limit', { type: 'number', describe: 'Maximum number (default: 50 in a table, else all)' })
        .option('json', flag('Print NDJSON on a terminal too'))
        .example('$0 rejected --data ./copy', 'of a folder')
        .example('$0 rejected --since 24h --code EVENT_INVALID', '')
        .example("$0 rejected | jq -c '.payload // empty' > rejected.ndjson", ''),
    reading(context, async (call) => (await import('./rejected.js')).runRejected(call)),
  );
}
