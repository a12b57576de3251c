import type { OtlpFailure } from '../../../../../collector/receivers/otlp/decode/otlp-failure.js';
import { RecordIdDedup } from '../../../../../collector/receivers/otlp/intake/record-id-dedup.js';
import { Fault } from '../../../../../core/event/fault.js';
import type { JsonValue } from '../../../../../core/event/json.js';
import { ERROR } from '../bodies.js';
import { logRecord, TIME, TRACE } from '../records.js';

describe('the deduplication by record id', () => {
  const named = (uid: JsonValue, others: object = {}): OtlpFailure => ({
    signal: 'log',
    record: logRecord({ ...ERROR, 'log.record.uid': uid }, { ...others }),
  });
  const kind = (dedup: RecordIdDedup, failure: OtlpFailure) => dedup.claim(failure)?.kind;

  it('recognises a record by its id alone, and never one without an id', () => {
    const dedup = new RecordIdDedup();
    const failures = [
      named('a'),
      named('a', { timeUnixNano: TIME + 1n, traceId: TRACE }),
      named('b'),
      named(''),
      named(5),
      log(),
    ];
    expect(failures.map((failure) => kind(dedup, failure))).toEqual([
      'new',
      'repeated',
      'new',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('stores an id for its window', () => {
    let nowMs = 0;
    const dedup = new RecordIdDedup({ windowMs: 1_000, nowMs: () => nowMs });
    const tries = [1, 1_000, 1_002, 2_001].map((at) => {
      nowMs = at;
      return kind(dedup, named('a'));
    });
    expect(tries).toEqual(['new', 'repeated', 'new', 'repeated']);
  });

  it('stores an id for ten minutes by default, longer than otlp_http retries by default', () => {
    let nowMs = 0;
    const dedup = new RecordIdDedup({ nowMs: () => nowMs });
    kind(dedup, named('a'));
    nowMs = 599_000;
    expect(kind(dedup, named('a'))).toBe('repeated');
  });

  it('is bounded: above its limit the first are forgotten', () => {
    const dedup = new RecordIdDedup({ lastIds: 100, nowMs: () => 0 });
    for (let id = 0; id < 101; id++) kind(dedup, named(`${id}`));
    expect([kind(dedup, named('0')), kind(dedup, named('100'))]).toEqual(['new', 'repeated']);
  });

  it('lets a repetition wait for the first one, and stores it if that was refused', async () => {
    const dedup = new RecordIdDedup();
    const first = dedup.claim(named('a'));
    const repeated = dedup.claim(named('a'));
    if (first?.kind !== 'new' || repeated?.kind !== 'repeated') throw new Error('not claimed as expected');
    first.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    await expect(repeated.settled).rejects.toMatchObject({ code: 'STORE_FULL' });
    const second = dedup.claim(named('a'));
    const last = dedup.claim(named('a'));
    if (second?.kind !== 'new' || last?.kind !== 'repeated') throw new Error('not claimed as expected');
    second.settle();
    await expect(last.settled).resolves.toBeUndefined();
  });

  const log = (): OtlpFailure => ({ signal: 'log', record: logRecord(ERROR, { traceId: TRACE }) });
});
