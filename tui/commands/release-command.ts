import type { Argv } from 'yargs';
import type { ReleaseChange } from '../../core/contract/reader.js';
import {
  type CommandContext,
  flag,
  type ReaderChoice,
  readerOptions,
  reading,
  required,
  text,
  tokenOption,
} from './command-context.js';

/** Adds `release` with its commands. */
export function addReleaseCommand(cli: Argv, context: CommandContext): void {
  cli.command('release <command>', 'Record and list releases, deploys and commits', (command) =>
    addReading(addRecording(command, context), context)
      .demandCommand(1, 'Name what to do: new, finalize, deploy, list or show.')
      .example('$0 release new v2.4.1', '')
      .example('$0 release new v2.4.1 --commits auto', '')
      .example('$0 release deploy v2.4.1 --environment production', '')
      .example('$0 release list', ''),
  );
}

function addRecording(cli: Argv, context: CommandContext): Argv {
  return addDeploy(addFinalize(addNew(cli, context), context), context);
}

function addNew(cli: Argv, context: CommandContext): Argv {
  return cli.command(
    'new <release>',
    'Create a release, optionally with its commits',
    (command) =>
      ofRelease(command, context)
        .option('link', text('Address of a page about it'))
        .option('commits', text('From the git repository here: auto (the last 100 commits) or a range A..B'))
        .example('$0 release new v2.4.1 --commits v2.4.0..v2.4.1', ''),
    (options) =>
      record(context, options, async () => {
        const { release, link, commits: range } = options;
        const created = { kind: 'create' as const, release, ...(link !== undefined && { url: link }) };
        if (range === undefined) return [created];
        const { readGitCommits } = await import('../../core/source-code/git-commits.js');
        const commits = await readGitCommits(range, process.cwd(), process.env);
        return [created, { kind: 'commits', release, commits }];
      }),
  );
}

function addFinalize(cli: Argv, context: CommandContext): Argv {
  return cli.command(
    'finalize <release>',
    'Mark a release as released',
    (command) =>
      ofRelease(command, context)
        .option('at', text('When, for example 2026-11-21T10:00:00Z (default: now)'))
        .example('$0 release finalize v2.4.1', ''),
    ({ release, at, ...options }) =>
      record(context, options, async () => {
        const { parseTime } = await import('./release.js');
        return [{ kind: 'finalize', release, ...(at !== undefined && { releasedAt: parseTime(at) }) }];
      }),
  );
}

function addDeploy(cli: Argv, context: CommandContext): Argv {
  return cli.command(
    'deploy <release>',
    'Record a deploy of a release, finished now',
    (command) =>
      ofRelease(command, context)
        .option('environment', { ...required('Where it was deployed'), alias: 'e' })
        .option('name', text('Name of the deploy'))
        .option('link', text('Address of a page about it'))
        .option('started', text('When it began, for example 2026-11-21T10:00:00Z'))
        .example('$0 release deploy v2.4.1 -e production', ''),
    ({ release, environment, name = null, link = null, started, ...options }) =>
      record(context, options, async () => {
        const { parseTime } = await import('./release.js');
        const times = {
          started_at: started === undefined ? null : parseTime(started),
          finished_at: parseTime(new Date().toISOString()),
        };
        return [{ kind: 'deploy', release, deploy: { environment, name, url: link, ...times } }];
      }),
  );
}

async function record(
  { openStore, streams, done }: CommandContext,
  choice: ReaderChoice & { readonly json: boolean },
  plan: () => Promise<readonly ReleaseChange[]>,
): Promise<void> {
  const { runRecord } = await import('./release.js');
  done(await runRecord({ open: () => openStore(choice), plan, json: choice.json, env: process.env, ...streams }));
}

function ofRelease<T>(command: Argv<T>, { defaultUrl }: CommandContext) {
  return tokenOption(command)
    .positional('release', required('Name of the release, for example v2.4.1'))
    .option('json', flag('Print the release as JSON'))
    .option('url', text(`Collector (default: ${defaultUrl}, else the local data folder)`))
    .option('data', text('Data folder (no collector may be running on it)'))
    .conflicts('url', 'data');
}

function addReading(cli: Argv, context: CommandContext): Argv {
  const { defaultUrl } = context;
  return cli
    .command(
      'list',
      'List releases, the latest first',
      (command) =>
        readerOptions(command, defaultUrl)
          .option('limit', { type: 'number', default: 20, describe: 'Maximum number (default: 20)' })
          .option('json', flag('Print one JSON document'))
          .example('$0 release list --json | jq .releases[0].health', ''),
      reading(context, async (call) => (await import('./release.js')).runReleases(call)),
    )
    .command(
      'show <release>',
      'Show one release with its deploys, sessions and commits',
      (command) =>
        readerOptions(command, defaultUrl)
          .positional('release', required('Name of the release'))
          .option('json', flag('Print one JSON document'))
          .example('$0 release show v2.4.1', ''),
      reading(context, async (call) => (await import('./release.js')).runRelease({ ...call, name: call.release })),
    );
}
