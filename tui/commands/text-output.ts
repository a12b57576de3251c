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
  // Whoever wrote has it from the callback.
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}
