import type { OtlpFailure } from '../../../../collector/receivers/otlp/decode/otlp-failure.js';
import {
  joinSpans,
  type KnownSpan,
  SpanCache,
  toKnownSpan,
} from '../../../../collector/receivers/otlp/decode/span-cache.js';
import { ExceptionDedup } from '../../../../collector/receivers/otlp/intake/exception-dedup.js';
import { RecordIdDedup } from '../../../../collector/receivers/otlp/intake/record-id-dedup.js';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonValue } from '../../../../core/event/json.js';
import { ERROR } from './bodies.js';
import { logRecord, SERVER_SPAN, SPAN, span, spanEvent, TIME, TRACE } from './records.js';

const KEYS = new Set(['http.route']);
const OTHER_TRACE = '00000000000000000000000000000001';

const known = (spanId: string, parentSpanId: string, kind: number): KnownSpan =>
  toKnownSpan(span({ 'http.route': '/a', other: 1 }, { spanId, parentSpanId, kind }), KEYS);
const find =
  (...spans: KnownSpan[]) =>
  (_traceId: string, spanId: string) =>
    spans.find((one) => one.spanId === spanId);

describe('the spans around an exception', () => {
  it('are its own and the nearest that serves or consumes', () => {
    const [inner, between, consumer, server] = [
      known(SPAN, 'b', 1),
      known('b', 'c', 1),
      known('c', 's', 5),
      known('s', '', 2),
    ];
    expect(joinSpans(TRACE, SPAN, find(inner, between, consumer, server))).toEqual({ own: inner, server: consumer });
    expect(joinSpans(TRACE, 's', find(server))).toEqual({ own: server, server });
  });

  it('end at an unknown span, at a cycle, and without a trace id', () => {
    const inner = known(SPAN, 'b', 1);
    expect(joinSpans(TRACE, SPAN, find(inner, known('s', '', 2)))).toEqual({ own: inner, server: undefined });
    expect(joinSpans(TRACE, SPAN, find(inner, known('b', SPAN, 1))).server).toBeUndefined();
    expect(joinSpans('', SPAN, find(inner))).toEqual({ own: undefined, server: undefined });
  });

  it('are stored with only the attributes that mapping reads, and without very long ones', () => {
    expect([...known(SPAN, '', 1).attributes]).toEqual([['http.route', '/a']]);
    expect(toKnownSpan(span({ 'http.route': 'x'.repeat(5_000) }), KEYS).attributes.size).toBe(0);
  });
});

describe('the memory of spans', () => {
  it('forgets spans after its window, and distinguishes traces', () => {
    let nowMs = 5_000;
    const memory = new SpanCache({ windowMs: 1_000, nowMs: () => nowMs });
    const one = known(SPAN, '', 2);
    memory.add(TRACE, one);
    nowMs += 1_000;
    expect(memory.find(TRACE, SPAN)).toBe(one);
    expect(memory.find(OTHER_TRACE, SPAN)).toBeUndefined();
    nowMs += 1;
    expect(memory.find(TRACE, SPAN)).toBeUndefined();
  });

  it('is bounded: the oldest are removed first', () => {
    const memory = new SpanCache({ windowMs: 1_000, nowMs: () => 0 });
    for (let index = 0; index <= 20_000; index++) memory.add(TRACE, known(String(index), '', 1));
    expect(memory.find(TRACE, '0')).toBeUndefined();
    expect(memory.find(TRACE, '1')).toBeDefined();
    const large = (index: number) =>
      toKnownSpan(span({ 'http.route': 'x'.repeat(4_000) }, { spanId: `l${index}` }), KEYS);
    for (let index = 0; index < 3_000; index++) memory.add(TRACE, large(index));
    expect(memory.find(TRACE, 'l0')).toBeUndefined();
    expect(memory.find(TRACE, 'l2999')).toBeDefined();
  });
});

describe('the memory of occurrences', () => {
  let nowMs = 0;
  let memory: ExceptionDedup;
  beforeEach(() => {
    nowMs = 5_000;
    memory = new ExceptionDedup({ windowMs: 1_000, nowMs: () => nowMs });
  });

  const log = (values: object = ERROR, others: object = {}): OtlpFailure => ({
    signal: 'log',
    record: logRecord({ ...values }, { traceId: TRACE, spanId: SPAN, ...others }),
  });
  const onSpan = (spanId: string, timeUnixNano = TIME): OtlpFailure => ({
    signal: 'span_event',
    span: span({}, { spanId }),
    event: spanEvent(ERROR, { timeUnixNano }),
  });
  const kind = (failure: OtlpFailure) => memory.claim(failure).kind;

  it('recognises the same exception on an outer span or in a log record', () => {
    expect([onSpan(SPAN), onSpan(SERVER_SPAN, TIME + 5n), log()].map(kind)).toEqual(['new', 'repeated', 'repeated']);
  });

  it('distinguishes the same exception at another time, and recognises it at the same time', () => {
    expect([onSpan(SPAN), onSpan(SPAN, TIME + 1n), onSpan(SPAN), onSpan(SPAN, TIME + 1n)].map(kind)).toEqual([
      'new',
      'new',
      'repeated',
      'repeated',
    ]);
  });

  it('distinguishes another type, message, stack or trace', () => {
    const others = [
      log({ ...ERROR, 'exception.type': 'RangeError' }),
      log({ ...ERROR, 'exception.message': 'bang' }),
      log({ ...ERROR, 'exception.stacktrace': 'TypeError: boom\n    at g (/a.js:1:2)' }),
      log(ERROR, { traceId: OTHER_TRACE }),
    ];
    expect([log(), ...others].map(kind)).toEqual(['new', 'new', 'new', 'new', 'new']);
  });

  it('treats every failure without a trace id or without an exception as a new one', () => {
    const failures = [log(ERROR, { traceId: '' }), log({}, { body: 'failed' })];
    expect([...failures, ...failures].map(kind)).toEqual(['new', 'new', 'new', 'new']);
  });

  it('forgets occurrences after its window', () => {
    kind(log());
    nowMs += 1_001;
    expect(kind(onSpan(SERVER_SPAN))).toBe('new');
  });

  it('lets a repetition wait for the first report, and stores it if that was refused', async () => {
    const first = memory.claim(onSpan(SPAN));
    const repeated = memory.claim(log());
    if (first.kind !== 'new' || repeated.kind !== 'repeated') throw new Error('not claimed as expected');
    first.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    await expect(repeated.settled).rejects.toMatchObject({ code: 'STORE_FULL' });
    const second = memory.claim(log());
    const last = memory.claim(onSpan(SPAN));
    if (second.kind !== 'new' || last.kind !== 'repeated') throw new Error('not claimed as expected');
    second.settle();
    await expect(last.settled).resolves.toBeUndefined();
  });
});

describe('the memory of record ids', () => {
  const named = (uid: JsonValue, others: object = {}): OtlpFailure => ({
    signal: 'log',
    record: logRecord({ ...ERROR, 'log.record.uid': uid }, { ...others }),
  });
  const kind = (memory: RecordIdDedup, failure: OtlpFailure) => memory.claim(failure)?.kind;

  it('recognises a record by its id alone, and never one without an id', () => {
    const memory = new RecordIdDedup();
    const failures = [
      named('a'),
      named('a', { timeUnixNano: TIME + 1n, traceId: TRACE }),
      named('b'),
      named(''),
      named(5),
      log(),
    ];
    expect(failures.map((failure) => kind(memory, failure))).toEqual([
      'new',
      'repeated',
      'new',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('stores an id for at least its window and at most twice as long', () => {
    let nowMs = 0;
    const memory = new RecordIdDedup({ windowMs: 1_000, nowMs: () => nowMs });
    const tries = [0, 900, 1_899, 2_800, 4_801].map((at) => {
      nowMs = at;
      return kind(memory, named('a'));
    });
    expect(tries).toEqual(['new', 'repeated', 'repeated', 'repeated', 'new']);
  });

  it('stores an id for ten minutes by default, longer than otlp_http retries by default', () => {
    let nowMs = 0;
    const memory = new RecordIdDedup({ nowMs: () => nowMs });
    kind(memory, named('a'));
    nowMs = 599_000;
    expect(kind(memory, named('a'))).toBe('repeated');
  });

  it('is bounded: above twice its limit the first are forgotten', () => {
    const memory = new RecordIdDedup({ lastIds: 100, nowMs: () => 0 });
    for (let id = 0; id < 300; id++) kind(memory, named(`${id}`));
    expect([kind(memory, named('0')), kind(memory, named('299'))]).toEqual(['new', 'repeated']);
  });

  it('lets a repetition wait for the first one, and stores it if that was refused', async () => {
    const memory = new RecordIdDedup();
    const first = memory.claim(named('a'));
    const repeated = memory.claim(named('a'));
    if (first?.kind !== 'new' || repeated?.kind !== 'repeated') throw new Error('not claimed as expected');
    first.refuse(new Fault('STORE_FULL', 'full', { retryable: true }));
    await expect(repeated.settled).rejects.toMatchObject({ code: 'STORE_FULL' });
    const second = memory.claim(named('a'));
    const last = memory.claim(named('a'));
    if (second?.kind !== 'new' || last?.kind !== 'repeated') throw new Error('not claimed as expected');
    second.settle();
    await expect(last.settled).resolves.toBeUndefined();
  });

  const log = (): OtlpFailure => ({ signal: 'log', record: logRecord(ERROR, { traceId: TRACE }) });
});
