import { writeSync } from 'node:fs';

/** Ends a run with the line `N passed, N failed` for scripts. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest prints its own summary after this call.
    process.once('exit', () => writeSync(1, `${line}\n`));
  }
}
