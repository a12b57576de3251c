import { Writable } from 'node:stream';

/** A stream that keeps what is printed to it. */
export class Sheet extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: (error?: Error) => void): void {
    this.text += String(chunk);
    done();
  }
}

/** A pipe, or with `columns` a terminal, and what was printed to it. */
export function outputs(columns?: number) {
  const streams = { stdout: new Sheet(), stderr: new Sheet() };
  if (columns !== undefined) Object.assign(streams.stdout, { isTTY: true, columns });
  return { ...streams, out: () => streams.stdout.text, err: () => streams.stderr.text };
}
