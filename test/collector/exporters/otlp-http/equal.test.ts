import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { samplePayload } from '../../../core/event/sample-payload.js';
import { sentOn, withoutHops } from './next-faultline.js';

const NAMES = [
  '__proto__',
  'constructor',
  'otlp.span',
  'otlp.signal',
  'otlp.user.id',
  'tag.user.id',
  'tag.x',
  'extra.x',
  'user.id',
  'request_id',
  'exception.type',
  'exception.message',
  'log.record.uid',
  'service.name',
  'host.name',
  'trace_id',
  'span_id',
  'event.name',
  'otel.scope.name',
  'otel.scope.version',
  'faultline',
  'faultline.hops',
  'faultline.tags',
  'faultline.otlp',
  'x',
  'a.b',
  '7',
];
const TRACE_ID = '5b8efff798038103d269b633813fc60c';
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', 'x', 'exception', 'nul \u0000', '\u2028\r\n', 'field', 'resource', 'tag.x', TRACE_ID),
);
const key = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'grapheme', maxLength: 6 }));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 0.5, 2 ** 60, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
);
const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));
const object = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
const owner = fc.record(
  { attributes: object, name: text, version: text, schema_url: text, dropped_attributes_count: fc.nat(3) },
  { requiredKeys: [] },
);
const otlp = fc.record(
  {
    resource: fc.oneof(owner, fc.constant({ attributes: { 'service.name': 5 } }), value),
    scope: fc.oneof(owner, fc.constant({ name: 'faultline' }), value),
    attributes: fc.oneof(object, value),
    dropped_attributes_count: fc.nat(3),
    body: fc.oneof(value, text),
    event_name: fc.oneof(text, value),
    severity_number: fc.oneof(fc.integer({ min: -1, max: 30 }), value),
    severity_text: fc.oneof(text, fc.constant('WARN')),
    flags: fc.nat(300),
    observed_time_unix_nano: fc.constant('1795365237275000000'),
    span: fc.oneof(object, value),
    server_span: object,
    odd: value,
  },
  { requiredKeys: [] },
);
const notes = fc.oneof(
  object,
  fc.record({ cuts_total: fc.nat(3), sender: value, original: object }, { requiredKeys: [] }),
);
const extra = fc.oneof(
  fc.constant(null),
  object,
  fc
    .record({ otlp: fc.oneof(otlp, value), faultline: notes, sentry: object, fingerprint: value }, { requiredKeys: [] })
    .chain((known) => object.map((others) => ({ ...others, ...known }))),
);
const textOrNull = fc.option(text, { nil: null });
const levels = ['debug', 'info', 'warning', 'warn', 'error', 'fatal', 'critical', 'notice', 'WARN2', 'odd', ''];
const payloads: fc.Arbitrary<RawPayload> = fc.record({
  app: text,
  env: text,
  error_name: text,
  extra: extra.map((given) => clean(given)),
  level: fc.oneof(fc.constant(null), fc.constantFrom(...levels), text),
  message: text,
  method: textOrNull,
  release: textOrNull,
  request_id: textOrNull,
  route: text,
  service: text,
  session_id: textOrNull,
  stack: fc.oneof(textOrNull, fc.constant('Error: x\n    at f (/a.js:1:2)')),
  status_code: fc.oneof(fc.constant(null), fc.integer()),
  tags: fc.dictionary(key, text, { maxKeys: 6, noNullPrototype: true }),
  timestamp: fc.oneof(
    fc
      .date({ min: new Date(0), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.constantFrom('2026-11-22T10:00:00.123456789+02:00', '1795365237', '1850-01-01T00:00:00Z', '2026-11-22 10:00:00'),
  ),
  user_id: textOrNull,
});

/** The payload as JSON, without members that senders must not set, and with `extra.faultline` as an object. */
function clean(given: JsonObject | null): JsonObject | null {
  if (given === null) return null;
  const copy = JSON.parse(JSON.stringify(given)) as JsonObject;
  const { faultline } = copy;
  if (typeof faultline !== 'object' || faultline === null || Array.isArray(faultline)) delete copy['faultline'];
  else {
    delete faultline['sampled'];
    delete faultline['hops'];
  }
  return copy;
}

describe.each(['proto', 'json'] as const)('a failure that one Faultline sends another in %s', (encoding) => {
  it('is the same at both, in every field', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, async (payload) => {
        const there = await sentOn(payload, { encoding });
        expect(withoutHops(there)).toEqual(withoutHops(payload));
        expect(there.extra).toMatchObject({ faultline: { hops: 1 } });
        const behind = await sentOn(there, { encoding });
        expect(withoutHops(behind)).toEqual(withoutHops(payload));
        expect(behind.extra).toMatchObject({ faultline: { hops: 2 } });
      }),
    );
  });

  it.each(levels.concat('\u0000'))('keeps the level %j, and a missing one', async (level) => {
    for (const [error_name, stack] of [
      ['', null],
      ['E', null],
      ['', 'Error: x\n    at f (/a.js:1:2)'],
    ] as const) {
      const payload = samplePayload({ level, error_name, stack, message: '' });
      expect(await sentOn(payload, { encoding })).toMatchObject({ level, error_name, stack, message: '' });
      expect(await sentOn({ ...payload, level: null }, { encoding })).toMatchObject({ level: null });
    }
  });
});
