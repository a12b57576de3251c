import fc from 'fast-check';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { IndexedFailure } from '../../../../core/storage/index/indexed-event.js';
import { packFailures, unpackFailures } from '../../../../core/storage/index/packed-failures.js';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const nullable = fc.option(text, { nil: null });

const failure: fc.Arbitrary<IndexedFailure> = fc.record({
  payload: fc.record({
    app: text,
    env: text,
    error_name: text,
    level: nullable,
    message: text,
    release: nullable,
    service: text,
    // As long as they travel: one unit, and whether there is a number.
    stack: fc.constantFrom(null, '', 'E', '\ud800'),
    status_code: fc.constantFrom(null, 1),
    timestamp: nullable,
  }),
  fingerprint: fc.record({
    value: text.map((value) => value as FingerprintValue),
    version: fc.nat(),
    title: text,
    culprit: nullable,
  }),
});

describe('packed failures', () => {
  it('come out as they went in, whatever their texts are, with gaps where they were', () => {
    fc.assert(
      fc.property(fc.array(fc.option(failure, { nil: undefined }), { maxLength: 8 }), (failures) => {
        expect(unpackFailures(packFailures(failures))).toEqual(failures);
      }),
    );
  });

  it('keep a text once that many failures share', () => {
    const [one] = fc.sample(failure, 1);
    const { texts } = packFailures(Array.from({ length: 100 }, () => one));
    // At most null, seven shared texts and a unit of the stack; fingerprint, title, message and time of each.
    expect(texts.length).toBeLessThanOrEqual(9 + 4 * 100);
  });

  it('cut what the index does not look at, and no surrogate pair', () => {
    const [one] = fc.sample(failure, 1);
    if (one === undefined) throw new Error('no sample');
    const message = `${'m'.repeat(511)}\u{1f600}`;
    const payload = { ...one.payload, message, stack: 'Error: x\n    at y', status_code: 502 };
    const [unpacked] = unpackFailures(packFailures([{ ...one, payload }]));
    expect(unpacked?.payload).toEqual({ ...payload, message: 'm'.repeat(511), stack: 'E', status_code: 1 });
  });
});
