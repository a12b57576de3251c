import type { Argv } from 'yargs';
import { Fault } from '../../core/event/fault.js';
import type { ActionRequest } from '../../generated/reader-answers.js';
import { type ReaderChoice, type StoreSurroundings, tokenOption } from './store-surroundings.js';
import { userName } from './user-name.js';

/** Adds the commands that act on issues. */
export function addActingCommands(line: Argv, surroundings: StoreSurroundings): void {
  const { defaultUrl } = surroundings;
  const act = (options: CommonOptions, issues: readonly string[], request: ActionRequest, others?: readonly string[]) =>
    actWith(surroundings, options, { issues, request, ...(others && { others }) });

  line.command(
    'resolve <issue..>',
    'Resolve issues: an event that comes later reopens them as regressed',
    (command) =>
      commonOptions(issuesArgument(command), defaultUrl)
        .option('in-next-release', {
          type: 'boolean',
          describe: 'Only an event of a release later than those seen reopens them',
        })
        .option('in-release', { type: 'string', describe: 'Only an event of this release or a later one reopens them' })
        .conflicts('in-release', 'in-next-release')
        .example('$0 resolve 4c1f4d51 --in-next-release --reason "fixed by #812"', ''),
    (options) =>
      act(options, options.issue, {
        action: 'resolve',
        ...(options.inNextRelease === true && { in_next_release: true }),
        ...(options.inRelease !== undefined && { in_release: options.inRelease }),
      }),
  );
  line.command(
    'reopen <issue..>',
    'Make issues open again',
    (command) => commonOptions(issuesArgument(command), defaultUrl).example('$0 reopen 4c1f4d51', ''),
    (options) => act(options, options.issue, { action: 'reopen' }),
  );
  line.command(
    'ignore <issue..>',
    'Ignore issues, for ever or until something happens',
    (command) =>
      commonOptions(issuesArgument(command), defaultUrl)
        .option('snooze', {
          type: 'string',
          describe: 'What ends it: 7d, 12h, 100x (more events), 100x/1h (within an hour), until:2026-12-24',
        })
        .example('$0 ignore 4c1f4d51 9ad53bb0 --snooze 7d', 'for a week'),
    (options) =>
      act(options, options.issue, {
        action: 'ignore',
        ...(options.snooze !== undefined && { snooze: options.snooze }),
      }),
  );
  line.command(
    'assign <issue..>',
    'Say who takes care of issues; the last word is the person, unless --to or --nobody says it',
    (command) =>
      commonOptions(issuesArgument(command), defaultUrl)
        .option('to', { type: 'string', describe: 'Who takes care' })
        .option('nobody', { type: 'boolean', describe: 'Take the assignment away' })
        .conflicts('to', 'nobody')
        .example('$0 assign 4c1f4d51 anna', '')
        .example('$0 assign 4c1f4d51 9ad53bb0 --nobody', ''),
    async (options) => {
      const isNamedLast = options.to === undefined && options.nobody !== true;
      if (isNamedLast && options.issue.length < 2) {
        const sentence = 'Say who takes care: `faultline assign ISSUE anna`, or --to anna, or --nobody.\n';
        surroundings.streams.stderr.write(sentence);
        surroundings.done(2);
        return;
      }
      const assignee = options.nobody === true ? null : (options.to ?? options.issue.at(-1) ?? null);
      await act(options, isNamedLast ? options.issue.slice(0, -1) : options.issue, { action: 'assign', assignee });
    },
  );
  line.command(
    'comment <issue> <text>',
    "Add a comment to an issue's history",
    (command) =>
      commonOptions(issueArgument(command), defaultUrl)
        .positional('text', { type: 'string', demandOption: true, describe: 'At most 16,384 characters' })
        .example('$0 comment 4c1f4d51 "the supplier answers 500 since noon"', ''),
    (options) => act(options, [options.issue], { action: 'comment', text: options.text }),
  );
  line.command(
    'merge <issue> <others..>',
    'Make other issues part of an issue, with all events that are still to come',
    (command) =>
      commonOptions(issueArgument(command), defaultUrl)
        .positional('others', { type: 'string', array: true, demandOption: true, describe: 'Ids of what becomes part' })
        .example('$0 merge 4c1f4d51 9ad53bb0', '9ad53bb0 is shown as part of 4c1f4d51'),
    (options) => act(options, [options.issue], { action: 'merge' }, options.others),
  );
  line.command(
    'split <issue> [members..]',
    'Make merged issues issues of their own again',
    (command) =>
      commonOptions(issueArgument(command), defaultUrl)
        .positional('members', { type: 'string', array: true, default: [], describe: 'Which ones (default: all)' })
        .example('$0 split 4c1f4d51 9ad53bb0', ''),
    (options) => act(options, [options.issue], { action: 'split' }, options.members),
  );
  line.command(
    'undo <issue>',
    'Undo what was done to an issue last, or any action of its history',
    (command) =>
      commonOptions(issueArgument(command), defaultUrl)
        .option('action', { type: 'string', describe: 'Id of the action; `faultline issue` shows them' })
        .example('$0 undo 4c1f4d51', ''),
    (options) =>
      act(options, [options.issue], {
        action: 'undo',
        ...(options.action !== undefined && { undoes: options.action }),
      }),
  );
}

interface CommonOptions extends ReaderChoice {
  readonly actor: string | undefined;
  readonly reason: string | undefined;
  readonly json: boolean;
}

function commonOptions<T>(command: Argv<T>, defaultUrl: string) {
  return tokenOption(command)
    .option('actor', { type: 'string', describe: 'Who does it (default: the user of this shell)' })
    .option('reason', { type: 'string', describe: 'Why; it stands in the history' })
    .option('json', { type: 'boolean', default: false, describe: 'Print each issue as it is then, as JSON' })
    .option('url', {
      type: 'string',
      describe: `Collector to act through (default: ${defaultUrl}, else the local data folder)`,
    })
    .option('data', { type: 'string', describe: 'Data folder that no collector is using' })
    .conflicts('url', 'data');
}

function issuesArgument<T>(command: Argv<T>) {
  return command.positional('issue', {
    type: 'string',
    array: true,
    demandOption: true,
    describe: 'Issue ids, or their first 8 characters or more',
  });
}

function issueArgument<T>(command: Argv<T>) {
  return command.positional('issue', {
    type: 'string',
    demandOption: true,
    describe: 'Issue id, or its first 8 characters or more',
  });
}

async function actWith(
  { streams, openStore, defaultUrl, done }: StoreSurroundings,
  { actor = userName(process.env), reason, json, url, data, tokenFile }: CommonOptions,
  task: { issues: readonly string[]; request: ActionRequest; others?: readonly string[] },
): Promise<void> {
  const { runAct } = await import('./act.js');
  const store = await openStore({ url, data, tokenFile }).catch((error: unknown) => {
    throw withUrlHint(error, defaultUrl);
  });
  try {
    const request = { ...task.request, ...(actor !== undefined && { actor }), ...(reason !== undefined && { reason }) };
    done(await runAct({ ...task, request, store, json, env: process.env, ...streams }));
  } finally {
    await store.close();
  }
}

function withUrlHint(error: unknown, url: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'STORE_LOCKED') return error;
  const sentence = `${error.message} Or act through the collector that uses it: --url ${url} instead of --data.`;
  return new Fault(error.code, sentence, { cause: error, retryable: error.retryable });
}
