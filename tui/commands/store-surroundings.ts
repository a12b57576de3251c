import type { Argv } from 'yargs';
import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import type { CollectorToken } from '../readers/http/collector-token.js';
import type { SourceChoice, TerminalReader } from '../readers/source.js';

/** Where a command reads from or acts; the default is a collector or a folder, whichever is there. */
export interface ReaderChoice {
  url?: string | undefined;
  data?: string | undefined;
  /** File with the token of the collector; absent: the variable FAULTLINE_TOKEN counts. */
  tokenFile?: string | undefined;
}

/** What every command that reads or acts is given. */
export interface StoreSurroundings {
  readonly streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };
  readonly openReader: (choice: ReaderChoice) => Promise<FailureReader>;
  /** As `openReader`, to act on issues too. */
  readonly openStore: (choice: ReaderChoice) => Promise<FailureReader & FailureActions>;
  /** What the terminal reads: several sources as one; none named is as with `openReader`. `token` is for collectors without one of their own. */
  readonly openTerminalReader: (choices: readonly SourceChoice[], token: CollectorToken) => Promise<TerminalReader>;
  /** The collector and the data folder where none is named. */
  readonly defaultUrl: string;
  readonly defaultDirectory: string;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
}

/** The options of every command that reads. */
export function readerOptions<T>(command: Argv<T>, defaultUrl: string) {
  return tokenOption(command)
    .option('url', {
      type: 'string',
      describe: `Collector to read from (default: ${defaultUrl}, else the local data folder)`,
    })
    .option('data', { type: 'string', describe: 'Data folder to read from, without a collector' })
    .conflicts('url', 'data');
}

/** How every command that calls a collector is told of its token: the file wins over the variable. */
export function tokenOption<T>(command: Argv<T>) {
  return command.option('token-file', {
    type: 'string',
    describe: 'File with the token of the collector (default: the variable FAULTLINE_TOKEN)',
  });
}

/** Runs a printing command over the reader that was chosen, closes the reader whatever happens, and reports the exit code. */
export async function withReader(
  { openReader, streams, done }: StoreSurroundings,
  choice: ReaderChoice,
  run: (call: { reader: FailureReader; env: NodeJS.ProcessEnv } & StoreSurroundings['streams']) => Promise<number>,
): Promise<void> {
  const reader = await openReader(choice);
  try {
    done(await run({ reader, env: process.env, ...streams }));
  } finally {
    await reader.close();
  }
}
