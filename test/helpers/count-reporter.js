import { writeSync } from 'node:fs';

/** Ends a run with the plain line `N passed, N failed` that scripts read. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest writes its own summary after this call; the line is the last one only at the very end.
    process.once('exit', () => writeSync(1, `${line}\n`));
  }
}
