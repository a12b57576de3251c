import yargs, { type Argv } from 'yargs';
import { type CliContext, flag, hideDash } from './collector/commands/command-line.js';
import { addConfigCommands } from './collector/commands/config-commands.js';
import { addFolderCommands } from './collector/commands/folder/folder-commands.js';
import { addGateCommand } from './collector/commands/gate/gate-command.js';
import { HELP_PAGE } from './collector/commands/help-page.js';
import { addMcpCommand } from './collector/commands/mcp-command.js';
import { addRegroupCommands } from './collector/commands/regroup/regroup-command.js';
import { addRunningCommands } from './collector/commands/running-commands.js';
import { printable } from './config/values/printable.js';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from './core/contract/reader.js';
import type { CollectorToken } from './core/http-reader/collector-token.js';
import type { SourcesReader } from './core/merged/source.js';
import { addActingCommands } from './tui/commands/acting-commands.js';
import type { ReaderChoice } from './tui/commands/command-context.js';
import { addReadingCommands } from './tui/commands/reading-commands.js';
import { addReleaseCommand } from './tui/commands/release-command.js';
import { userName } from './tui/preferences/user-name.js';
import type { SourceChoice } from './tui/readers/open-sources.js';

/** The version in package.json, which the build puts in its place. */
declare const FAULTLINE_VERSION: string;

declare module 'yargs' {
  /** Exists since yargs 17.6, but not in its types. */
  interface Argv<T> {
    usageConfiguration(configuration: { readonly 'hide-types': boolean }): Argv<T>;
  }
}

/** Exit codes of all commands; 0 is success. */
const FAILED = 1;
const USAGE_ERROR = 2;

const DEFAULTS = { defaultUrl: 'http://localhost:4319', defaultDirectory: './faultline-data' };

/** Arguments that ask for the page of all commands. */
const HELP_WORDS = ['help', '--help', '-h'];

const SHELLS = ['bash', 'zsh', 'fish'];

/** The command line is invalid. */
class UsageError extends Error {}

const streams = { stdout: process.stdout, stderr: process.stderr };
// A closed pipe (`| head`) or terminal is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
});

/** Opens a collector by URL, a folder, or one of the two defaults. */
async function openReader(choice: ReaderChoice): Promise<FailureReader & FailureChanges & Partial<FailureActions>> {
  return await openChosen(choice, openFolderReading);
}

/** Opens several collectors and folders as one; folders are read-only. */
async function openTerminalReader(
  choices: readonly SourceChoice[],
  token: CollectorToken | undefined,
): Promise<SourcesReader> {
  const { openSources } = await import('./tui/readers/open-sources.js');
  return await openSources(choices, { token, ...DEFAULTS, openFolder: openFolderReading });
}

async function openFolderReading(directory: string): Promise<FailureReader & FailureChanges> {
  const [{ openFolderReader }, { createSuspectCommits }] = await Promise.all([
    import('./core/storage/folder-reader.js'),
    import('./core/source-code/suspect-commits.js'),
  ]);
  const withSuspects = createSuspectCommits({ repositories: [{ path: process.cwd() }] });
  const folder = await openFolderReader({ directory });
  const changes: FailureChanges['changes'] = (options) => folder.changes(options);
  return Object.assign(withSuspects(folder), { changes });
}

/** Like `openReader`, but also for actions on issues; this process becomes the writer of a folder. */
async function openStore(
  choice: ReaderChoice,
): Promise<FailureReader & FailureActions & FailureChanges & FailureReleases> {
  return await openChosen(choice, async (directory) => {
    const { openActingFolder } = await import('./core/storage/acting-folder.js');
    return await openActingFolder({
      directory,
      onFault: (fault) => process.stderr.write(`${printable(fault.message)}\n`),
    });
  });
}

async function openChosen<Folder extends FailureReader>(
  { url, data, tokenFile }: ReaderChoice,
  openFolder: (directory: string) => Promise<Folder>,
) {
  const { openChosenSource } = await import('./tui/readers/open-sources.js');
  const token = await openToken(tokenFile);
  return (await openChosenSource({ url, data }, { token, ...DEFAULTS, openFolder })).reader;
}

async function openToken(file: string | undefined): Promise<CollectorToken> {
  const { openCollectorToken, TOKEN_VARIABLE } = await import('./core/http-reader/collector-token.js');
  return await openCollectorToken({ file, variable: TOKEN_VARIABLE }, process.env);
}

/** Opens a collector or a folder; this process becomes the writer of a folder. */
const openRegrouping: CliContext['openRegrouping'] = async ({ url, data, tokenFile }, observer) => {
  if (data === undefined) {
    const { HttpRegrouping } = await import('./core/http-reader/http-regrouping.js');
    const collector = new HttpRegrouping(url ?? DEFAULTS.defaultUrl, await openToken(tokenFile));
    if (url !== undefined || (await collector.answers())) return collector;
  }
  const { createFolderRegrouping } = await import('./collector/commands/regroup/folder-regrouping.js');
  const { defaultUrl, defaultDirectory } = DEFAULTS;
  return createFolderRegrouping({ directory: data ?? defaultDirectory, defaultUrl, ...observer });
};

/** Runs a command line, prints an error and returns the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    return await runCommand(args);
  } catch (error) {
    return await printError(error, args);
  }
}

async function runCommand(args: readonly string[]): Promise<number> {
  const [first = '--help', second = '-'] = args;
  if (HELP_WORDS.includes(first) && args.length < 2) {
    process.stdout.write(HELP_PAGE);
    return 0;
  }
  if (first === 'completion' && !second.startsWith('-')) {
    if (!SHELLS.includes(second)) throw new UsageError(`No completion for ${second}. Choose ${SHELLS.join(', ')}.`);
    // yargs prints the script for the shell of this variable.
    process.env['SHELL'] = second;
  }
  let exitCode = 0;
  const parser = createParser(args);
  addCommands(parser, (code) => {
    exitCode = code;
  });
  try {
    await parser.parseAsync();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { usageSentence } = await import('./collector/commands/usage-sentence.js');
    const options = await parser.getCompletion([first, '--']);
    throw new UsageError(usageSentence(error.message, args, options));
  }
  return exitCode;
}

function createParser(args: readonly string[]): Argv {
  return (
    yargs(args.map(hideDash))
      .scriptName('faultline')
      .version(FAULTLINE_VERSION)
      // The package has no translations of its parser.
      .locale('en')
      .alias('h', 'help')
      // A query may start with a dash: `--query -env:staging`.
      .parserConfiguration({ 'nargs-eats-options': true })
      // Defaults and choices are in the descriptions.
      .usageConfiguration({ 'hide-types': true })
      .strict()
      .strictCommands()
      .wrap(Math.min(110, process.stdout.columns ?? 80))
      .exitProcess(false)
      .fail((message, error) => {
        // YError: an option without its value.
        if (error !== undefined && error.name !== 'YError') throw error;
        throw new UsageError(message);
      })
  );
}

/** Adds all commands. Each imports what it runs when it is called, to keep the start fast. `done` is called with its exit code. */
function addCommands(parser: Argv, done: (code: number) => void): void {
  const openers = { openReader, openStore, openTerminalReader, openRegrouping };
  const context = { streams, version: FAULTLINE_VERSION, user: userName(process.env), ...openers, ...DEFAULTS, done };
  addRunningCommands(parser, context);
  addConfigCommands(parser, context);
  addReadingCommands(parser, context);
  addMcpCommand(parser, context);
  addActingCommands(parser, context);
  addReleaseCommand(parser, context);
  addFolderCommands(parser, context);
  addGateCommand(parser, context);
  addRegroupCommands(parser, context);
  addDemoCommand(parser, done);
  parser.command(
    'completion [shell]',
    'Print the completion script for bash, zsh or fish',
    (command) => command.example('source <($0 completion bash)', ''),
    () => void parser.showCompletionScript(),
  );
}

function addDemoCommand(parser: Argv, done: (code: number) => void): void {
  parser.command(
    'demo',
    'Try it: a collector, sample failures and the terminal',
    (command) =>
      command
        .option('events', { type: 'number', default: 4000, describe: 'Events of the past day (default: 4000)' })
        .option('seed', { type: 'number', default: 1, describe: 'Seed of the random traffic (default: 1)' })
        .option('fleet', flag('Two gateways and four sidecars over NATS; needs nats-server on the PATH'))
        .example('$0 demo', 'q quits and removes the folder'),
    async ({ events, seed, fleet }) => {
      const { runDemo } = await import('./collector/commands/demo.js');
      const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
      done(await runDemo({ pastEvents: events, seed, isFleet: fleet, browse: browseUrl, isTerminal, ...streams }));
    },
  );
}

/** Shows a collector in the terminal until the user quits. */
async function browseUrl(url: string): Promise<number> {
  const { runBrowse } = await import('./tui/commands/browse.js');
  const openReader = () => openTerminalReader([{ url }], undefined);
  return await runBrowse({ openReader, env: process.env, stdin: process.stdin, ...streams });
}

/** Prints an error and returns the exit code. */
async function printError(error: unknown, args: readonly string[]): Promise<number> {
  const isUsage = error instanceof UsageError;
  // What follows `--` belongs to another program.
  const end = args.indexOf('--');
  const isJson = args.slice(0, end === -1 ? undefined : end).includes('--json');
  if (isUsage && !isJson) {
    process.stderr.write(`${error.message.split('\n').map(printable).join('\n')}\n`);
    return USAGE_ERROR;
  }
  const { errorJson, errorText } = await import('./tui/commands/text-output.js');
  const code = isUsage ? { code: 'ARGUMENT_INVALID' } : {};
  process.stderr.write(isJson ? errorJson(error, code) : errorText(error));
  return isUsage ? USAGE_ERROR : FAILED;
}
