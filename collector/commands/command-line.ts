import type { Argv } from 'yargs';

/** What every command of the collector gets. */
export interface CliContext {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  readonly defaultDirectory: string;
  /** Called with the exit code. */
  readonly done: (code: number) => void;
}

/** Standard output or error, or a string in tests. */
export interface TextSink {
  write(text: string): unknown;
}

const SET_DESCRIPTION = 'Override one setting: a.b.c=value';

/** Adds the options of every command that loads a configuration. */
export function configOptions<Options>(command: Argv<Options>) {
  return command
    .option('config', {
      type: 'string',
      array: true,
      default: [],
      describe: 'Configuration: a path, env:NAME or yaml:TEXT; repeat to merge several',
    })
    .option('set', { type: 'string', array: true, default: [], describe: SET_DESCRIPTION });
}

/** Adds the options of every command that groups. Each takes one value, because files may follow. */
export function groupingOptions<Options>(command: Argv<Options>, defaultRules: string) {
  return command
    .option('config', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [],
      describe: `Configuration with grouping rules (default: ${defaultRules})`,
    })
    .option('set', { type: 'string', array: true, nargs: 1, default: [], describe: SET_DESCRIPTION })
    .option('grouping-version', { type: 'number', describe: 'Version of the built-in rules (default: newest)' });
}

/** Stands for a lone dash while yargs 18.2 parses, which drops one from a list of positionals. */
const DASH = '\u0000-';

/** Replaces a lone dash before yargs parses. */
export function hideDash(argument: string): string {
  return argument === '-' ? DASH : argument;
}

/** Restores what `hideDash` replaced. */
export function restoreDash(argument: string): string {
  return argument === DASH ? '-' : argument;
}
