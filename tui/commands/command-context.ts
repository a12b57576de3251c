import type { Argv } from 'yargs';
import type { FailureActions, FailureReader, FailureReleases } from '../../core/contract/reader.js';
import type { CollectorToken } from '../../core/http-reader/collector-token.js';
import type { SourcesReader } from '../../core/merged/source.js';
import type { SourceChoice } from '../readers/open-sources.js';

/** The collector or data folder of a command; default: the local collector, else the local data folder. */
export interface ReaderChoice {
  url?: string | undefined;
  data?: string | undefined;
  /** File with the collector's token; default: the variable FAULTLINE_TOKEN. */
  tokenFile?: string | undefined;
}

/** What every command that reads or acts gets. */
export interface CommandContext {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  readonly openReader: (choice: ReaderChoice) => Promise<FailureReader>;
  /** Like `openReader`, for commands that act on issues or record releases. */
  readonly openStore: (choice: ReaderChoice) => Promise<FailureReader & FailureActions & FailureReleases>;
  /** Opens several sources as one; without choices the default of `openReader`. `token`: for collectors without their own. */
  readonly openTerminalReader: (choices: readonly SourceChoice[], token: CollectorToken) => Promise<SourcesReader>;
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** Called with the exit code. */
  readonly done: (code: number) => void;
}

/** An option or argument with one value; undefined if it is not given. */
export const text = (describe: string) => ({ type: 'string', describe }) as const;

/** An argument that must be given. */
export const required = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

/** An option that is given or not. */
export const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** Adds the options of every command that reads. */
export function readerOptions<T>(command: Argv<T>, defaultUrl: string) {
  return tokenOption(command)
    .option('url', text(`Collector to read (default: ${defaultUrl}, else the local data folder)`))
    .option('data', text('Data folder to read without a collector'))
    .conflicts('url', 'data');
}

/** Adds the token option of every command that calls a collector; the file overrides the variable. */
export function tokenOption<T>(command: Argv<T>) {
  return command.option('token-file', text('File with the token (default: FAULTLINE_TOKEN)'));
}

/** What `reading` adds to the options of a command. */
type Reading = { reader: FailureReader; env: NodeJS.ProcessEnv } & CommandContext['streams'];

/** Makes the handler of a printing command: runs it with the chosen reader, always closes the reader, and reports the exit code. */
export function reading<Options extends ReaderChoice>(
  { openReader, streams, done }: CommandContext,
  run: (call: Options & Reading) => Promise<number>,
): (options: Options) => Promise<void> {
  return async (options) => {
    const reader = await openReader(options);
    try {
      done(await run({ ...options, reader, env: process.env, ...streams }));
    } finally {
      await reader.close();
    }
  };
}
