import { writeSync } from 'node:fs';
import { relative } from 'node:path';

/** Longer than any test file takes on a busy machine. */
const HANGS_AFTER_MS = 15 * 60_000;

/** Ends a run that hangs and names its files; ends every other run with the line `N passed, N failed` for scripts. */
export default class RunReporter {
  #running = new Map();

  onTestFileStart({ path }) {
    const name = relative(process.cwd(), path);
    this.#running.set(
      path,
      setTimeout(() => this.#endHungRun(name), HANGS_AFTER_MS),
    );
  }

  onTestFileResult({ path }) {
    clearTimeout(this.#running.get(path));
    this.#running.delete(path);
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest prints its own summary after this call.
    process.once('exit', () => writeSync(1, `${line}\n`));
  }

  #endHungRun(name) {
    writeSync(1, `${name} did not end within ${HANGS_AFTER_MS / 60_000} minutes\n0 passed, 1 failed\n`);
    process.exit(1);
  }
}
