import fc from 'fast-check';
import { decodeRawLine, encodeRawLine } from '../../../core/event/raw-line.js';
import { RAW_PAYLOAD_KEYS, weightOf } from '../../../core/event/raw-payload.js';
import { parseSentJson } from '../../../core/event/sent-json.js';
import { readerWith } from './sample-payload.js';

const longText = 'x'.repeat(450);
const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'toJSON',
  'faultline',
  'sampled',
  '',
  longText,
  `${longText}y`,
);
const key = fc.oneof(hostileKey, fc.string({ unit: 'binary' }));
const stringText = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(longText)).map((text) => JSON.stringify(text));
const oddText = fc.constantFrom(
  'null',
  'true',
  '500',
  '1e999',
  '-0',
  '12345678901234567890',
  '0.1',
  '"\\ud800"',
  '"500"',
);
const { value: jsonText, object: objectText } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 6, withCrossShrink: true }, stringText, oddText, tie('object'), arrayText(tie('value'))),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(toObjectText),
}));

const REQUIRED: readonly string[] = ['app', 'env', 'error_name', 'message', 'route', 'service'];

/** Usually a likely value of a field, sometimes any other. */
function fieldText(name: string): fc.Arbitrary<string> {
  const likely = name === 'extra' || name === 'tags' ? objectText : stringText;
  const weight = REQUIRED.includes(name) ? 200 : 6;
  return fc.oneof({ weight, arbitrary: likely }, { weight: 1, arbitrary: jsonText });
}

/** The 17 keys in order. */
const completeText = fc
  .tuple(...RAW_PAYLOAD_KEYS.map((name) => fieldText(name).map((text): [string, string] => [name, text])))
  .map(toObjectText);

/** Some of the 17 keys and some others, in any order. */
const looseText = fc
  .tuple(
    fc.tuple(...REQUIRED.map((name) => fieldText(name).map((text): [string, string] => [name, text]))),
    fc.array(
      fc.oneof(
        fc.tuple(key, jsonText),
        ...RAW_PAYLOAD_KEYS.map((name) => fc.tuple(fc.constant(name), fieldText(name))),
      ),
      { maxLength: 12 },
    ),
  )
  .map(([required, others]) => toObjectText([...others, ...required]));

const text = fc.string({ unit: 'binary', maxLength: 50 });
const textOrNull = fc.option(text);
const payloadFields = {
  app: text,
  env: text,
  error_name: text,
  extra: fc.option(fc.dictionary(text, fc.jsonValue({ maxDepth: 4 }))),
  level: textOrNull,
  message: text,
  method: textOrNull,
  release: textOrNull,
  request_id: textOrNull,
  route: text,
  service: text,
  session_id: textOrNull,
  stack: textOrNull,
  status_code: fc.option(fc.maxSafeInteger()),
  tags: fc.dictionary(text, text, { maxKeys: 10 }),
  timestamp: textOrNull,
  user_id: textOrNull,
} satisfies Record<(typeof RAW_PAYLOAD_KEYS)[number], unknown>;

const eventText = fc.oneof(completeText, looseText);

function arrayText(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(item, { maxLength: 4 }).map((items) => `[${items.join(',')}]`);
}

function toObjectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

const readers = fc.constantFrom(
  readerWith(),
  readerWith({ limits: { maxStringLength: 300, maxStackLength: 1, maxDepth: 4, maxTags: 1 } }),
  readerWith({ limits: { maxStringLength: 400, maxStackLength: 5, maxDepth: 5, maxTags: 2 } }),
  readerWith({ defaults: { app: 'a', service: 's', env: 'e' } }),
);

describe('the payload reader, over random values', () => {
  const prototypeBefore = Object.getOwnPropertyNames(Object.prototype).join();

  afterEach(() => {
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(prototypeBefore);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never throws, and rejects with a field and a reason', () => {
    fc.assert(
      fc.property(readers, fc.oneof(jsonText, eventText), (reader, text) => {
        const reading = reader.parse(JSON.parse(text));
        if (!reading.ok) {
          expect(reading.rejection.field).toMatch(/^(\/[a-z_]+)?$/);
          expect(reading.rejection.reason).toMatch(/^must be /);
        }
      }),
    );
  });

  it('returns payloads that survive a round trip through their raw line', () => {
    fc.assert(
      fc.property(readers, eventText, (reader, text) => {
        const reading = reader.parse(parseSentJson(text).value);
        if (!reading.ok) return;
        const line = encodeRawLine(reading.payload);
        expect(line.includes(0x0a)).toBe(false);
        expect(decodeRawLine(line)).toEqual(JSON.parse(JSON.stringify(reading.payload)));
      }),
    );
  });

  it('returns payloads with weight 1 for any input of senders', () => {
    const sampled = fc.oneof(fc.integer({ min: -1, max: 2_000_000_000 }).map(String), jsonText);
    const part = sampled.map((text) => `{"faultline":{"sampled":${text}},"x":{"faultline":{"sampled":${text}}}}`);
    const claiming = fc
      .tuple(eventText, part)
      .map(([text, extra]) => (text === '{}' ? text : `${text.slice(0, -1)},"extra":${extra}}`));
    fc.assert(
      fc.property(readers, fc.oneof(eventText, claiming), (reader, text) => {
        const reading = reader.parse(JSON.parse(text));
        if (reading.ok) expect(weightOf(decodeRawLine(encodeRawLine(reading.payload)).extra)).toBe(1);
      }),
    );
  });

  it('does not change a payload that it returned', () => {
    fc.assert(
      fc.property(readers, eventText, (reader, text) => {
        const first = reader.parse(JSON.parse(text));
        if (!first.ok) return;
        const again = reader.parse(JSON.parse(encodeRawLine(first.payload).toString()));
        expect(again).toMatchObject({ ok: true, added: [], notes: [] });
      }),
    );
  });

  it('does not change complete payloads, and encodes them to the same text', () => {
    fc.assert(
      fc.property(fc.record(payloadFields), (fields) => {
        const text = JSON.stringify(fields);
        const reading = readerWith().parse(JSON.parse(text));
        expect(reading).toMatchObject({ ok: true, added: [], notes: [] });
        if (reading.ok) expect(encodeRawLine(reading.payload).toString()).toBe(text);
      }),
    );
  });
});
