import { collectGarbage } from '../../../collector/telemetry/garbage-collection.js';

/** An array that only the reference knows. */
const garbage = (): WeakRef<number[]> => new WeakRef(new Array<number>(1_000).fill(0.5));

describe('a collection of garbage', () => {
  it('frees unreferenced objects, without a flag of V8', async () => {
    const reference = garbage();
    // Objects made in a turn of the event loop may live until its end.
    await new Promise((resolve) => setImmediate(resolve));
    await collectGarbage();
    expect(reference.deref()).toBeUndefined();
    expect('gc' in globalThis).toBe(false);
  });
});
