import type { Readable, Writable } from 'node:stream';

/** Output on its way from a program to whoever reads ours. */
export interface OutputPass {
  /** The program's side has ended and all of it was handed on. */
  readonly done: Promise<void>;
  /** True once nobody reads what we write. */
  isRefused(): boolean;
  /** Ends it from our side. */
  stop(): void;
}

/**
 * Passes bytes on as they come, no faster than they are taken, and shows each piece to `onChunk` afterwards. When nobody reads any more, the
 * program's next write fails, as it would without us.
 */
export function passOutput(from: Readable, to: Writable, onChunk: (chunk: Buffer) => void): OutputPass {
  let isRefused = false;
  const resume = (): void => {
    from.resume();
  };
  const refuse = (): void => {
    isRefused = true;
    from.destroy();
  };
  to.on('drain', resume);
  to.on('error', refuse);
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) from.pause();
    onChunk(chunk);
  });
  // What is read when its writer was killed in the middle is an end like any other.
  from.on('error', () => undefined);
  const done = new Promise<void>((resolve) => {
    from.once('close', () => {
      to.off('drain', resume);
      // The listener for errors stays: what is still on its way may fail later.
      resolve();
    });
  });
  return { done, isRefused: () => isRefused, stop: () => from.destroy() };
}
