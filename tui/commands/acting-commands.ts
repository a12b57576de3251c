import type { Argv } from 'yargs';
import { Fault } from '../../core/event/fault.js';
import type { ActionRequest } from '../../generated/reader-answers.js';
import { userName } from '../preferences/user-name.js';
import { type CommandContext, flag, type ReaderChoice, required, text, tokenOption } from './command-context.js';
import { EXIT_CODES } from './printing-command.js';

/** Adds the commands that act on issues. */
export function addActingCommands(cli: Argv, context: CommandContext): void {
  addResolve(cli, context);
  addReopen(cli, context);
  addIgnore(cli, context);
  addAssign(cli, context);
  addComment(cli, context);
  addMerge(cli, context);
  addSplit(cli, context);
  addUndo(cli, context);
}

function addResolve(cli: Argv, context: CommandContext): void {
  cli.command(
    'resolve <issue..>',
    'Resolve issues; a later event reopens them as regressed',
    (command) =>
      ofIssues(command, context)
        .option('in-next-release', {
          type: 'boolean',
          describe: 'Stay resolved until a release that has not been seen yet',
        })
        .option('in-release', text('Stay resolved until this release or a newer one'))
        .conflicts('in-release', 'in-next-release')
        .example('$0 resolve 94cdb1e3 --in-next-release --reason "fixed by #812"', ''),
    (options) =>
      act(context, options, options.issue, {
        action: 'resolve',
        ...(options.inNextRelease === true && { in_next_release: true }),
        ...(options.inRelease !== undefined && { in_release: options.inRelease }),
      }),
  );
}

function addReopen(cli: Argv, context: CommandContext): void {
  cli.command(
    'reopen <issue..>',
    'Reopen issues',
    (command) => ofIssues(command, context).example('$0 reopen 94cdb1e3', ''),
    (options) => act(context, options, options.issue, { action: 'reopen' }),
  );
}

function addIgnore(cli: Argv, context: CommandContext): void {
  cli.command(
    'ignore <issue..>',
    'Ignore issues, optionally until a time or a number of events',
    (command) =>
      ofIssues(command, context)
        .option('snooze', text('How long: 7d, 100x (events), 100x/1h, until:2026-12-24'))
        .example('$0 ignore 94cdb1e3 b066a5a8 --snooze 7d', ''),
    ({ snooze, ...options }) =>
      act(context, options, options.issue, { action: 'ignore', ...(snooze !== undefined && { snooze }) }),
  );
}

function addAssign(cli: Argv, context: CommandContext): void {
  cli.command(
    'assign <issue..>',
    'Assign issues; the last argument is the name, or use --to',
    (command) =>
      ofIssues(command, context)
        .option('to', text('The assignee'))
        .option('nobody', { type: 'boolean', describe: 'Unassign' })
        .conflicts('to', 'nobody')
        .example('$0 assign 94cdb1e3 anna', '')
        .example('$0 assign 94cdb1e3 b066a5a8 --nobody', ''),
    async (options) => {
      const isNamedLast = options.to === undefined && options.nobody !== true;
      if (isNamedLast && options.issue.length < 2) {
        const sentence = 'Name the assignee: `faultline assign ISSUE anna`, or --to anna, or --nobody.\n';
        context.streams.stderr.write(sentence);
        context.done(EXIT_CODES.usage);
        return;
      }
      const assignee = options.nobody === true ? null : (options.to ?? options.issue.at(-1) ?? null);
      const issues = isNamedLast ? options.issue.slice(0, -1) : options.issue;
      await act(context, options, issues, { action: 'assign', assignee });
    },
  );
}

function addComment(cli: Argv, context: CommandContext): void {
  cli.command(
    'comment <issue> <text>',
    "Add a comment to an issue's history",
    (command) =>
      ofIssue(command, context)
        .positional('text', required('At most 16,384 characters'))
        .example('$0 comment 94cdb1e3 "the pool is too small"', ''),
    (options) => act(context, options, [options.issue], { action: 'comment', text: options.text }),
  );
}

function addMerge(cli: Argv, context: CommandContext): void {
  cli.command(
    'merge <issue> <others..>',
    'Merge issues into the first one',
    (command) =>
      ofIssue(command, context)
        .positional('others', { ...required('Ids of the issues to merge'), array: true })
        .example('$0 merge 806eb440 5c468ea6', '806eb440 then contains 5c468ea6'),
    (options) => act(context, options, [options.issue], { action: 'merge' }, options.others),
  );
}

function addSplit(cli: Argv, context: CommandContext): void {
  cli.command(
    'split <issue> [members..]',
    'Split a merged issue',
    (command) =>
      ofIssue(command, context)
        .positional('members', { ...text('Ids of the issues to separate (default: all)'), array: true, default: [] })
        .example('$0 split 806eb440 5c468ea6', ''),
    (options) => act(context, options, [options.issue], { action: 'split' }, options.members),
  );
}

function addUndo(cli: Argv, context: CommandContext): void {
  cli.command(
    'undo <issue>',
    'Undo the last action on an issue, or --action ID',
    (command) =>
      ofIssue(command, context)
        .option('action', text('Id of the action, as `faultline issue` prints it'))
        .example('$0 undo 94cdb1e3', ''),
    ({ action: undoes, ...options }) =>
      act(context, options, [options.issue], { action: 'undo', ...(undoes !== undefined && { undoes }) }),
  );
}

/** Performs an action on issues; `others` are the issues that a merge or a split names besides. */
async function act(
  { openStore, defaultUrl, streams, done }: CommandContext,
  { actor = userName(process.env), reason, json, url, data, tokenFile }: CommonOptions,
  issues: readonly string[],
  action: ActionRequest,
  others?: readonly string[],
): Promise<void> {
  const { runAct } = await import('./act.js');
  const store = await openStore({ url, data, tokenFile }).catch((error: unknown) => {
    throw withUrlHint(error, defaultUrl);
  });
  try {
    const request = { ...action, ...(actor !== undefined && { actor }), ...(reason !== undefined && { reason }) };
    done(await runAct({ issues, request, others, store, json, env: process.env, ...streams }));
  } finally {
    await store.close();
  }
}

/** Adds the options of a command on several issues. */
function ofIssues<T>(command: Argv<T>, { defaultUrl }: CommandContext) {
  const issues = { ...required('Issue ids; the first 8 characters are enough'), array: true } as const;
  return commonOptions(command, defaultUrl).positional('issue', issues);
}

/** Adds the options of a command on a single issue. */
function ofIssue<T>(command: Argv<T>, { defaultUrl }: CommandContext) {
  const issue = required('Issue id; the first 8 characters are enough');
  return commonOptions(command, defaultUrl).positional('issue', issue);
}

interface CommonOptions extends ReaderChoice {
  readonly actor: string | undefined;
  readonly reason: string | undefined;
  readonly json: boolean;
}

function commonOptions<T>(command: Argv<T>, defaultUrl: string) {
  return tokenOption(command)
    .option('actor', text('Your name (default: $USER)'))
    .option('reason', text('Reason, shown in the history'))
    .option('json', flag('Print the changed issues as JSON'))
    .option('url', text(`Collector (default: ${defaultUrl}, else the local data folder)`))
    .option('data', text('Data folder (no collector may be running on it)'))
    .conflicts('url', 'data');
}

function withUrlHint(error: unknown, url: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'STORE_LOCKED') return error;
  const sentence = `${error.message} Or use the collector that holds it: --url ${url} instead of --data.`;
  return new Fault(error.code, sentence, { cause: error, retryable: error.retryable });
}
