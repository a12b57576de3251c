import {
  joinSpans,
  type KnownSpan,
  SpanCache,
  toKnownSpan,
} from '../../../../../collector/receivers/otlp/decode/span-cache.js';
import { SPAN, span, TRACE } from '../records.js';

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

describe('the span cache', () => {
  it('removes spans after its window, and distinguishes traces', () => {
    let nowMs = 5_000;
    const cache = new SpanCache({ windowMs: 1_000, nowMs: () => nowMs });
    const one = known(SPAN, '', 2);
    cache.add(TRACE, one);
    nowMs += 1_000;
    expect(cache.find(TRACE, SPAN)).toBe(one);
    expect(cache.find(OTHER_TRACE, SPAN)).toBeUndefined();
    nowMs += 1;
    expect(cache.find(TRACE, SPAN)).toBeUndefined();
  });

  it('is bounded: the oldest are removed first', () => {
    const cache = new SpanCache({ windowMs: 1_000, nowMs: () => 0 });
    for (let index = 0; index <= 20_000; index++) cache.add(TRACE, known(String(index), '', 1));
    expect(cache.find(TRACE, '0')).toBeUndefined();
    expect(cache.find(TRACE, '1')).toBeDefined();
    const large = (index: number) =>
      toKnownSpan(span({ 'http.route': 'x'.repeat(4_000) }, { spanId: `l${index}` }), KEYS);
    for (let index = 0; index < 3_000; index++) cache.add(TRACE, large(index));
    expect(cache.find(TRACE, 'l0')).toBeUndefined();
    expect(cache.find(TRACE, 'l2999')).toBeDefined();
  });
});
