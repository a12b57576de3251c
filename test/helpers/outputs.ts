import { Writable } from 'node:stream';

/** A stream that records its text. */
export class Sheet extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: (error?: Error) => void): void {
    this.text += String(chunk);
    done();
  }
}

/** Standard output and error that record their text: pipes, or with `columns` a terminal. */
export function outputs(columns?: number) {
  const streams = { stdout: new Sheet(), stderr: new Sheet() };
  if (columns !== undefined) Object.assign(streams.stdout, { isTTY: true, columns });
  return { ...streams, out: () => streams.stdout.text, err: () => streams.stderr.text };
}
