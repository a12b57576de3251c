import { Fault } from '../../core/event/fault.js';
import { errorText, print, type TextOutput } from './text-output.js';

/** What every printing command is given. */
export interface PrintingOptions {
  /** One JSON document instead of text for people. */
  json: boolean;
  env: NodeJS.ProcessEnv;
  stdout: TextOutput;
  stderr: TextOutput;
}

const DONE = 0;
const FAILED = 1;
const USAGE = 2;
/** Faults of a call that is written wrongly. */
const USAGE_CODES: ReadonlySet<string> = new Set(['QUERY_INVALID', 'ARGUMENT_INVALID']);

/** Runs a command that throws a Fault when it fails. Answers the exit code: 0, 1 failed, 2 called wrongly; anything but a Fault is thrown on. */
export async function runPrinting(stderr: TextOutput, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return DONE;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await print(stderr, errorText(error));
    return USAGE_CODES.has(error.code) ? USAGE : FAILED;
  }
}
