import { failureAttributes, type OtlpFailure } from '../../../../../collector/receivers/otlp/decode/otlp-failure.js';
import { ExceptionDedup } from '../../../../../collector/receivers/otlp/intake/exception-dedup.js';
import { Fault } from '../../../../../core/event/fault.js';
import { ERROR } from '../bodies.js';
import { logRecord, SERVER_SPAN, SPAN, scope, span, spanEvent, TIME, TRACE } from '../records.js';

/** What the reports are mapped to, as far as it matters here. */
const CHECKOUT = { app: 'shop', service: 'checkout' };

describe('the deduplication of exceptions', () => {
  let nowMs = 0;
  let dedup: ExceptionDedup;
  beforeEach(() => {
    nowMs = 5_000;
    dedup = new ExceptionDedup({ windowMs: 1_000, nowMs: () => nowMs });
  });

  const log = (values: object = ERROR, others: object = {}): OtlpFailure => ({
    signal: 'log',
    record: logRecord({ ...values }, { traceId: TRACE, spanId: SPAN, ...others }),
  });
  const onSpan = (spanId: string, timeUnixNano = TIME, values: object = ERROR): OtlpFailure => ({
    signal: 'span_event',
    span: span({}, { spanId }),
    event: spanEvent({ ...values }, { timeUnixNano }),
  });
  const claim = (failure: OtlpFailure, names = CHECKOUT) => {
    const attributes = failureAttributes(failure);
    const payload = {
      ...names,
      error_name: attributes.get('exception.type') ?? '',
      message: attributes.get('exception.message') ?? '',
      stack: attributes.get('exception.stacktrace') ?? null,
    };
    return dedup.claim(failure, payload, () => undefined);
  };
  /** Whether a report is stored, and whether an earlier one counts it. */
  const kind = (failure: OtlpFailure, names = CHECKOUT) => {
    const claimed = claim(failure, names);
    return claimed.kind === 'new' && claimed.countedBy !== undefined ? 'further' : claimed.kind;
  };

  it('recognises the same exception on an outer span or in a log record', () => {
    expect([onSpan(SPAN), onSpan(SERVER_SPAN, TIME + 5n), log()].map((one) => kind(one))).toEqual([
      'new',
      'repeated',
      'further',
    ]);
    expect([log(), onSpan('1'.repeat(16))].map((one) => kind(one))).toEqual(['repeated', 'repeated']);
  });

  it('distinguishes the same exception at another time, and recognises it at the same time', () => {
    const reports = [onSpan(SPAN), onSpan(SPAN, TIME + 1n), onSpan(SPAN), onSpan(SPAN, TIME + 1n)];
    expect(reports.map((one) => kind(one))).toEqual(['new', 'new', 'repeated', 'repeated']);
  });

  it('distinguishes another type, message, stack or trace', () => {
    const others = [
      log({ ...ERROR, 'exception.type': 'RangeError' }),
      log({ ...ERROR, 'exception.message': 'bang' }),
      log({ ...ERROR, 'exception.stacktrace': 'TypeError: boom\n    at g (/a.js:1:2)' }),
      log(ERROR, { traceId: '00000000000000000000000000000001' }),
    ];
    expect([log(), ...others].map((one) => kind(one))).toEqual(['new', 'new', 'new', 'new', 'new']);
  });

  it('recognises an exception that another span names otherwise, which says something new', () => {
    const renamed = onSpan(SERVER_SPAN, TIME, { ...ERROR, 'exception.type': 'RangeError' });
    expect([onSpan(SPAN), renamed, renamed].map((one) => kind(one))).toEqual(['new', 'further', 'repeated']);
  });

  it('distinguishes the same exception of another app or service', () => {
    const [gateway, till] = [
      { ...CHECKOUT, service: 'gateway' },
      { ...CHECKOUT, app: 'till' },
    ];
    for (const again of ['new', 'repeated']) {
      expect([kind(log()), kind(log(), gateway), kind(onSpan(SERVER_SPAN), till)]).toEqual([again, again, again]);
    }
  });

  it('treats every failure without a trace id or without an exception as a new one', () => {
    const failures = [log(ERROR, { traceId: '' }), log({}, { body: 'failed' })];
    expect([...failures, ...failures].map((one) => kind(one))).toEqual(['new', 'new', 'new', 'new']);
  });

  it('forgets exceptions after its window', () => {
    kind(log());
    nowMs += 1_001;
    expect(kind(onSpan(SERVER_SPAN))).toBe('new');
  });

  it('remembers the last 1,000 reports of a trace', () => {
    const reportOf = (item: number) => log({ ...ERROR, 'exception.message': `item ${item}` });
    for (let item = 0; item < 1_500; item++) expect(kind(reportOf(item))).toBe('new');
    expect([kind(reportOf(1_499)), kind(reportOf(500)), kind(reportOf(499))]).toEqual(['repeated', 'repeated', 'new']);
  });

  it('recognises a repetition behind thousands of reports of neighbouring traces', () => {
    const reportOf = (trace: number) => log(ERROR, { traceId: trace.toString(16).padStart(32, '0') });
    for (let trace = 1; trace <= 3_000; trace++) expect(kind(reportOf(trace))).toBe('new');
    for (let trace = 1; trace <= 3_000; trace++) expect(kind(reportOf(trace))).toBe('repeated');
  });

  it('remembers the first report of a trace while later ones come and are refused', () => {
    kind(log());
    nowMs += 900;
    const later = claim(log({ ...ERROR, 'exception.message': 'bang' }));
    if (later.kind === 'new') later.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    nowMs += 900;
    expect(kind(onSpan(SERVER_SPAN))).toBe('further');
  });

  it('lets a repetition wait for the first report, and stores it if that was refused', async () => {
    const first = claim(onSpan(SPAN));
    const repeated = claim(onSpan(SERVER_SPAN));
    if (first.kind !== 'new' || repeated.kind !== 'repeated') throw new Error('not claimed as expected');
    first.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    await expect(repeated.settled).rejects.toMatchObject({ code: 'STORE_FULL' });
    const second = claim(onSpan(SERVER_SPAN));
    const last = claim(onSpan(SPAN));
    if (second.kind !== 'new' || last.kind !== 'repeated') throw new Error('not claimed as expected');
    second.settle();
    await expect(last.settled).resolves.toBeUndefined();
  });

  it('lets further reports wait for the first one that is stored, of the reports before them', async () => {
    const claims = [onSpan(SPAN), log(), log(ERROR, { scope: scope({ name: 'web' }), body: 'again' })].map((one) =>
      claim(one),
    );
    const [first, second, third] = claims.filter((one) => one.kind === 'new');
    if (first === undefined || second === undefined) throw new Error('not claimed as expected');
    const counts = third?.countedBy?.settled;
    first.settle();
    await expect(second.countedBy?.settled).resolves.toBeUndefined();
    second.settle('sampled');
    await expect(counts).resolves.toBe('sampled');
  });
});
