import { Fault } from '../../core/event/fault.js';
import { escapeHidden } from '../text/json-text.js';
import { neutralise } from '../text/visible.js';

/** The part of a stream that a command prints to; `process.stdout` is one, whatever it leads to. */
export interface TextOutput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  /** Undefined where it is no terminal. */
  readonly columns?: number | undefined;
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

/** Prints a text and waits until it is taken. A reader that went away (`| head`) is no failure: what is left is not printed. */
export function print(output: TextOutput, text: string): Promise<void> {
  // The error is also emitted, after the write is done; without a listener it would end the process.
  if (!output.listeners('error').includes(ignoreError)) output.on('error', ignoreError);
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error === undefined || error === null || isBrokenPipe(error)) resolve();
      else reject(error);
    });
  });
}

function ignoreError(): void {
  // The writer has it from the callback.
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}

/** What a person is told of an error, ended by a newline: a fault's sentence, the whole stack of anything else; both neutralised. */
export function errorText(error: unknown): string {
  const text =
    error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${text.split('\n').map(neutralise).join('\n')}\n`;
}

/** Prints one JSON document whose hidden characters are escaped, so that it is safe on a terminal too. */
export async function printJson(output: TextOutput, document: object): Promise<void> {
  await print(output, `${escapeHidden(JSON.stringify(document, null, 2))}\n`);
}

/** Prints documents as NDJSON, one a line, as safe as `printJson`. */
export async function printJsonLines(output: TextOutput, documents: readonly object[]): Promise<void> {
  for (const document of documents) await print(output, `${escapeHidden(JSON.stringify(document))}\n`);
}
