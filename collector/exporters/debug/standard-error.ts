import { stderr } from 'node:process';

/** Writes to the standard error stream; resolves when the system has it, also where nobody reads any more. */
export function writeToStandardError(text: string): Promise<void> {
  return new Promise((resolve) => {
    stderr.write(text, () => resolve());
  });
}
