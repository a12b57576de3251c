import { collectGarbage } from '../../../collector/telemetry/garbage-collection.js';
import { waitFor } from '../../helpers/wait-for.js';

/** An array that only the reference knows. */
const garbage = (): WeakRef<number[]> => new WeakRef(new Array<number>(1_000).fill(0.5));

describe('a collection of garbage', () => {
  it('frees unreferenced objects, without a flag of V8', async () => {
    const reference = garbage();
    // Objects live until the end of the turn of the event loop in which they are made or read.
    await waitFor('the collection', async () => {
      await collectGarbage();
      return reference.deref() === undefined;
    });
    expect('gc' in globalThis).toBe(false);
  });
});
