import type { Argv } from 'yargs';
import type { FailureActions, FailureChanges, FailureReader } from '../../core/contract/reader.js';
import type { Regrouping } from '../../core/storage/regroup/regrouping.js';
import type { RegroupObserver } from './regroup/folder-regrouping.js';

/** A collector by URL or a folder; default: the local collector, else the local data folder. */
interface SourceChoice {
  readonly url?: string | undefined;
  readonly data?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** A reader that may also act. */
export type SourceReader = FailureReader & FailureChanges & Partial<FailureActions>;

/** What the commands of the collector get. */
export interface CliContext {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  readonly version: string;
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** The user of this shell. */
  readonly user: string | undefined;
  readonly openReader: (choice: SourceChoice) => Promise<SourceReader>;
  /** Like `openReader`; this process becomes the writer of a folder. */
  readonly openStore: (choice: SourceChoice) => Promise<SourceReader>;
  readonly openRegrouping: (choice: SourceChoice, observer: RegroupObserver) => Promise<Regrouping>;
  /** Called with the exit code. */
  readonly done: (code: number) => void;
}

/** Standard output or error, or a string in tests. */
export interface TextSink {
  write(text: string): unknown;
}

/** Where a command writes. */
export interface CommandOutput {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
}

const SET_DESCRIPTION = 'Override one setting: a.b.c=value';

/** An option or argument with one value; undefined if it is not given. */
export const text = (describe: string) => ({ type: 'string', describe }) as const;

/** An option that is given or not. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** An option or argument with any number of values. */
export const texts = (describe: string) =>
  ({ type: 'string', array: true, default: [] as string[], describe }) as const;

/** Adds the options of every command that loads a configuration. */
export function configOptions<Options>(command: Argv<Options>) {
  return command
    .option('config', texts('Configuration: a path, env:NAME or yaml:TEXT; repeat to merge several'))
    .option('set', texts(SET_DESCRIPTION));
}

/** Adds the options of every command that groups. Each takes one value, because files may follow. */
export function groupingOptions<Options>(command: Argv<Options>, defaultRules: string) {
  return command
    .option('config', { ...texts(`Configuration with grouping rules (default: ${defaultRules})`), nargs: 1 })
    .option('set', { ...texts(SET_DESCRIPTION), nargs: 1 })
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
