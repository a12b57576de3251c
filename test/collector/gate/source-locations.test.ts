import { basename } from 'node:path';
import { createSourceLocations } from '../../../collector/gate/source-locations.js';

describe('the place of a failure in the source', () => {
  // A pattern that begins again at each empty line takes many seconds.
  it('is searched at once in a stack with many empty lines', async () => {
    const locationOf = await createSourceLocations(import.meta.dirname);
    const start = performance.now();
    const stack = `Error: x\n    at total (${import.meta.filename}:3:1)${'\n'.repeat(120_000)}`;
    expect(await locationOf(stack)).toEqual({ file: basename(import.meta.filename), line: 3 });
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
