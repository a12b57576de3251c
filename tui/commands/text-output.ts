import { printableJson } from '../../config/values/printable.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { hasCode, systemSentence } from '../../core/storage/files/system-error.js';

import { neutralise } from '../text/visible.js';

/** The stream that a command prints to, such as `process.stdout`. */
export interface TextOutput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  /** Undefined if the stream is not a terminal. */
  readonly columns?: number | undefined;
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

/** Clears the line of the cursor, for progress. */
export const CLEAR_LINE = '\r\u001b[K';

/** Prints a text and waits until it is written. If the reader exited (`| head`), the rest is dropped without an error. */
export function print(output: TextOutput, text: string): Promise<void> {
  // The error is also emitted after the write; without a listener it would end the process.
  if (!output.listeners('error').includes(ignoreError)) output.on('error', ignoreError);
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error === undefined || error === null || hasCode(error, 'EPIPE', 'ERR_STREAM_DESTROYED')) resolve();
      else reject(error);
    });
  });
}

function ignoreError(): void {
  // The callback of the write gets it too.
}

/** An error as neutralised text with a trailing newline: the sentence of a Fault or of a refusal of the disk, the stack of any other error. */
export function errorText(error: unknown): string {
  const text =
    error instanceof Fault
      ? error.message
      : (systemSentence(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return `${text.split('\n').map(neutralise).join('\n')}\n`;
}

/** An error as one line of JSON for `--json`, with a stable `code`, and the `column` of a query or the `member` of an action. */
export function errorJson(error: unknown, about: object = {}): string {
  const code = error instanceof Fault ? error.code : 'INTERNAL_ERROR';
  const retryable = error instanceof Fault && error.retryable;
  const { column, member } = Object(error) as { column?: number; member?: string | null };
  const place = { ...(column !== undefined && { column }), ...(typeof member === 'string' && { member }) };
  const document = { code, message: systemSentence(error) ?? messageOf(error), retryable, ...place, ...about };
  return `${printableJson(JSON.stringify(document))}\n`;
}

/** Prints one JSON document. Hidden characters are escaped, which makes it safe on a terminal. */
export async function printJson(output: TextOutput, document: object): Promise<void> {
  await print(output, `${printableJson(JSON.stringify(document, null, 2))}\n`);
}

/** Prints documents as NDJSON, escaped like `printJson`. */
export async function printJsonLines(output: TextOutput, documents: readonly object[]): Promise<void> {
  for (const document of documents) await print(output, `${printableJson(JSON.stringify(document))}\n`);
}
