import fc from 'fast-check';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { DescribedFailure } from '../../../../core/storage/index/indexed-event.js';
import { type PackedFailures, packFailures, unpackFailures } from '../../../../core/storage/index/packed-failures.js';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const nullable = fc.option(text, { nil: null });

const failure: fc.Arbitrary<DescribedFailure> = fc.record({
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
    // Texts become instants on their way.
    timestamp: fc.option(fc.record({ ms: fc.integer(), nanos: fc.nat(999_999) }), { nil: null }),
  }),
  fingerprint: fc.record({
    value: text.map((value) => value as FingerprintValue),
    version: fc.nat(),
    title: text,
    culprit: nullable,
  }),
});

function packAll(failures: readonly (DescribedFailure | undefined)[]) {
  return packFailures(failures, failures.length, () => false);
}

function unpackAll(packed: PackedFailures) {
  return [...unpackFailures(packed, () => undefined)];
}

/** What is left of a failure whose issue was described before. */
function counted({ payload: { error_name: _, message: __, ...payload }, fingerprint }: DescribedFailure) {
  const { value, version } = fingerprint;
  return { payload, fingerprint: { value, version } };
}

describe('packed failures', () => {
  it('come out as they went in, whatever their texts are, with gaps where they were', () => {
    fc.assert(
      fc.property(fc.array(fc.option(failure, { nil: undefined }), { maxLength: 8 }), (failures) => {
        expect(unpackAll(packAll(failures))).toEqual(failures);
      }),
    );
  });

  it('get back the fingerprints that the other side knows, and travel without a description where it has one', () => {
    const one = fc.record({
      failure: fc.option(failure, { nil: undefined }),
      isKnown: fc.boolean(),
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), (all) => {
        const failures = all.map((each) =>
          each.failure === undefined || each.isFirst || !each.isKnown ? each.failure : counted(each.failure),
        );
        const known = all.map((each) => (each.isKnown ? each.failure?.fingerprint : undefined));
        const stored = known.map((each) => each && { value: each.value, version: each.version });
        const packed = packFailures(failures, failures.length, (place) => all[place]?.isKnown === true);
        expect([...unpackFailures(packed, (place) => stored[place])]).toEqual(failures);
      }),
    );
  });

  it('say when they happened as an instant, and nothing where that cannot be read', () => {
    const [one] = fc.sample(failure, 1);
    if (one === undefined) throw new Error('no sample');
    const times = ['2026-11-21T10:00:00.123456789Z', 'yesterday', null];
    const failures = times.map((timestamp) => ({ ...one, payload: { ...one.payload, timestamp } }));
    const unpacked = unpackAll(packAll(failures));
    const instant = { ms: Date.UTC(2026, 10, 21, 10) + 123, nanos: 456_789 };
    expect(unpacked.map((each) => each?.payload.timestamp)).toEqual([instant, null, null]);
  });

  it('keep a text once that many failures share', () => {
    const [one] = fc.sample(failure, 1);
    const { texts } = packAll(Array.from({ length: 100 }, () => one));
    // At most null, seven shared texts and a unit of the stack; fingerprint, title and message of each.
    expect(texts.length).toBeLessThanOrEqual(9 + 3 * 100);
  });

  it('cut what the index does not look at, and no surrogate pair', () => {
    const [one] = fc.sample(failure, 1);
    if (one === undefined) throw new Error('no sample');
    const message = `${'m'.repeat(511)}\u{1f600}`;
    const payload = { ...one.payload, message, stack: 'Error: x\n    at y', status_code: 502 };
    const [unpacked] = unpackAll(packAll([{ ...one, payload }]));
    expect(unpacked?.payload).toEqual({ ...payload, message: 'm'.repeat(511), stack: 'E', status_code: 1 });
  });
});
