/** Ends a run with the plain line `N passed, N failed` that scripts read. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    // Jest's own summary goes to standard error; the last line belongs after it on whatever a caller reads.
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    process.stderr.write('\n');
    process.stdout.write(`${line}\n`);
  }
}
