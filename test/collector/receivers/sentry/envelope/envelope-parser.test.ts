import fc from 'fast-check';
import { HeldBody, IngestMemory } from '../../../../../collector/component/ingest-memory.js';
import { EnvelopeParser } from '../../../../../collector/receivers/sentry/envelope/envelope-parser.js';
import { LooseEnvelope } from '../../../../../collector/receivers/sentry/envelope/loose-envelope.js';
import { Fault } from '../../../../../core/event/fault.js';

const MAX_EVENT_BYTES = 100;

interface Parsed {
  /** What was parsed: `header`, `skipped`, `<type>:<payload>`, or `<type>!<bytes>` for an item that is too large. */
  readonly parts: string[];
  /** What was not understood first, or the code of a fault. */
  readonly problem?: string;
}

const WANTED = new Map([
  ['event', MAX_EVENT_BYTES],
  ['log', MAX_EVENT_BYTES],
]);

/** Parses a body that arrives in these chunks; each character is one byte. */
function parse(...chunks: readonly string[]): Parsed {
  const parts: string[] = [];
  const held = new IngestMemory(1_000_000).begin();
  const sink = {
    header: (header: object) => void parts.push(`header ${JSON.stringify(header)}`),
    item: (type: string, payload: Buffer | undefined, bytes: number) =>
      void parts.push(payload === undefined ? `${type}!${bytes}` : `${type}:${payload.toString('latin1')}`),
    skipped: (isMinidump: boolean) => void parts.push(isMinidump ? 'minidump' : 'skipped'),
  };
  const parser = new EnvelopeParser(WANTED, new HeldBody(held), held, sink);
  try {
    for (const chunk of chunks) parser.push(Buffer.from(chunk, 'latin1'));
    const rest = parser.end();
    const problem = rest && looselyRead(new LooseEnvelope(rest, WANTED, sink));
    return problem === undefined ? { parts } : { parts, problem };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { parts, problem: error.code };
  }
}

function looselyRead(envelope: LooseEnvelope): string | undefined {
  const steps = envelope.read();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const EVENT = '{"type":"event"}';
const SIZED = (bytes: number) => `{"type":"event","length":${bytes}}`;
const FILE = (length: number) => `{"type":"attachment","length":${length}}`;
const HEAD = 'header {}';
const A = '{"message":"a"}';
const B = '{"message":"b"}';
const PRETTY = '{\r\n  "message": "a",\r\n  "extra": {\r\n    "b": {}\r\n  }\n}';

describe('an envelope', () => {
  it.each([
    ['of a header alone is empty', '{}', [HEAD]],
    ['of a header and a newline is empty', '{}\n', [HEAD]],
    ['without length ends its item with the line', `{}\n${EVENT}\nab\n`, [HEAD, 'event:ab']],
    ['without length ends its item with the body', `{}\n${EVENT}\nab`, [HEAD, 'event:ab']],
    ['keeps a carriage return in a payload without length', `{}\n${EVENT}\nab\r\n`, [HEAD, 'event:ab\r']],
    ['with a length may hold any byte', `{}\n${SIZED(6)}\na\nb\r\n\0\n`, [HEAD, 'event:a\nb\r\n\0']],
    ['with a length may end without newline', `{}\n${SIZED(2)}\nab`, [HEAD, 'event:ab']],
    ['of length 0 and an empty line is an empty payload', `{}\n${SIZED(0)}\n\n`, [HEAD, 'event:']],
    ['of length 0 may end there', `{}\n${SIZED(0)}\n`, [HEAD, 'event:']],
    ['may have blank lines', `\n{}\n\n\r\n${EVENT}\na\n\n\n${EVENT}\nb\n\n`, [HEAD, 'event:a', 'event:b']],
    [
      'may have a carriage return after a line',
      `{}\r\n${SIZED(2)}\r\nab\r\n${EVENT}\r\na`,
      [HEAD, 'event:ab', 'event:a'],
    ],
    [
      'skips dropped items with their payload',
      `{}\n${FILE(3)}\n\n{}\n{"type":"from-the-future"}\nx\n${EVENT}\nab`,
      [HEAD, 'skipped', 'skipped', 'event:ab'],
    ],
    [
      'names skipped minidumps',
      `{}\n{"type":"attachment","attachment_type":"event.minidump","length":4}\nMDMP\n{"type":"attachment"}\na`,
      [HEAD, 'minidump', 'skipped'],
    ],
    ['takes a length that is no number of bytes for none', `{}\n{"type":"event","length":-1}\nab`, [HEAD, 'event:ab']],
    [
      'says which item is too large and goes on',
      `{}\n${SIZED(101)}\n${'a'.repeat(101)}\n${EVENT}\n${'b'.repeat(102)}\n${EVENT}\nc`,
      [HEAD, 'event!101', 'event!102', 'event:c'],
    ],
  ])('%s', (_name, text, parts) => {
    expect(parse(text)).toEqual({ parts });
    expect(parse(...text)).toEqual({ parts });
  });

  const BOM = '\xef\xbb\xbf';
  it.each([
    ['is an event alone', A, [`event:${A}`]],
    ['is an event over several lines', PRETTY, [`event:${PRETTY}`]],
    ['is events line by line', `${A}\n${B}\n`, [`event:${A}`, `event:${B}`]],
    ['is an array of events', `[${A},\n${B}]`, [`event:${A}`, `event:${B}`]],
    ['is an array of one event as payload', `{}\n${EVENT}\n[${A}]\n{}`, [`event:${A}`]],
    ['has no header', `${EVENT}\n${A}`, [`event:${A}`]],
    ['has a header over several lines', `{\n"event_id":"1"\n}\n${EVENT}\n${A}`, [`event:${A}`]],
    ['has an item without type', `{}\n{}\n${A}`, [`event:${A}`]],
    ['has an item without type, but a length', `{}\n{"length":15}\n${A}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    ['has an item without header', `{}\n${A}\n${B}`, [`event:${A}`, `event:${B}`]],
    [
      'has header and payload of an item in one object',
      `{}\n{"type":"event","message":"a"}`,
      ['event:{"type":"event","message":"a"}'],
    ],
    ['has an event under an unknown type', `{}\n{"type":"error"}\n${A}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    ['has an event over several lines', `{}\n${EVENT}\n${PRETTY}\n${EVENT}\n${B}`, [`event:${PRETTY}`, `event:${B}`]],
    ['has a length that is too short', `{}\n${SIZED(10)}\n${A}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    ['has a length that is too long', `{}\n${SIZED(16)}\n${A}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    ['has a length beyond the end', `{}\n${SIZED(99_999)}\n${A}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    [
      'has a length of an event that counts a line end as one',
      `{}\n${SIZED(PRETTY.length - 5)}\n${PRETTY}`,
      [`event:${PRETTY}`],
    ],
    [
      'has a length that is too short at a line end',
      `{}\n${SIZED(PRETTY.length - 2)}\n${PRETTY}\r\n`,
      [`event:${PRETTY}`],
    ],
    ['has a length of a file that is too short', `{}\n${FILE(2)}\nab\ncd\n${EVENT}\n${A}`, ['skipped', `event:${A}`]],
    ['has a length of a file that is too long', `{}\n${FILE(9)}\nabcd\n${EVENT}\n${A}`, ['skipped', `event:${A}`]],
    ['has a length of a file beyond the end', `{}\n${FILE(9_999)}\nab\n${EVENT}\n${A}`, ['skipped', `event:${A}`]],
    [
      'has a file of several lines without length',
      `{}\n{"type":"attachment"}\na\n{b\n{}\n${EVENT}\n${A}`,
      ['skipped', `event:${A}`],
    ],
    ['misses the line break behind headers', `{}${EVENT}${A}`, [`event:${A}`]],
    ['misses the line break behind a payload', `{}\n${SIZED(15)}\n${A}${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    ['is two envelopes', `{}\n${EVENT}\n${A}\n{"event_id":"1"}\n${EVENT}\n${B}`, [`event:${A}`, `event:${B}`]],
    [
      'is two envelopes on one line',
      `{}\n${SIZED(15)}\n${A}{"event_id":"1"}\n${EVENT}\n${B}`,
      [`event:${A}`, `event:${B}`],
    ],
    ['has byte order marks', `${BOM}{}\n${BOM}${EVENT}\n${BOM}${A}`, [`event:${A}`]],
    ['has a byte order mark that its length does not count', `{}\n${SIZED(15)}\n${BOM}${A}`, [`event:${A}`]],
    ['has a header that is not UTF-8', `{"sdk":"\xff"}\n${EVENT}\n${A}`, [`event:${A}`]],
    ['has a long header line', `{"message":"${'x'.repeat(65_530)}"}\n${EVENT}\n${A}`, ['event!65544', `event:${A}`]],
    [
      'is two transactions and a minidump without line breaks',
      `{}{"type":"transaction"}\n{"spans":[]}\n{"type":"attachment","attachment_type":"event.minidump"}\nx`,
      ['skipped', 'minidump'],
    ],
  ])('that %s gives its events', (_name, text, parts) => {
    const parsed = parse(text);
    expect({ ...parsed, parts: parsed.parts.slice(1) }).toEqual({ parts });
    expect(parse(...text)).toEqual(parsed);
  });

  it.each([
    ['text', 'nonsense\n', [HEAD], 'at byte 0, it is neither a header nor an event: "nonsense"'],
    ['an array without events', '[1]\n', [HEAD], 'at byte 1, it is neither'],
    [
      'a header with other members and no item',
      '{"platform":"node"}\n',
      ['header {"platform":"node"}'],
      'at byte 0, it has members of neither a header nor an event',
    ],
    ['an object of another form', `{}\n{}\n{"a":1}`, [HEAD], 'at byte 6, it has members'],
    [
      'a header of an item that is text',
      `{}\n${EVENT}\n${A}\nnonsense\n${EVENT}\n${B}`,
      [HEAD, `event:${A}`, `event:${B}`],
      'at byte 36 in item 1, it is neither',
    ],
    [
      'a payload that ends early',
      `{}\n${EVENT}\n${A}\n${SIZED(30)}\n{"message":`,
      [HEAD, `event:${A}`],
      'at byte 65 in item 2, its payload is not JSON that ends',
    ],
    ['a payload that is text', `{}\n${SIZED(1)}\nab\n`, [HEAD], 'at byte 31 in item 1, its payload is not JSON'],
    [
      'no payload behind the last header',
      `{}\n${EVENT}\n${A}\n${EVENT}`,
      [HEAD, `event:${A}`],
      'at byte 53 in item 2, it ends after the header',
    ],
    [
      'no payload between two headers',
      `{}\n${EVENT}${EVENT}\n${A}`,
      [HEAD, `event:${A}`],
      'at byte 19 in item 1, its payload is missing',
    ],
    ['UTF-16', '\xff\xfe{\0}\0', [HEAD], 'it is UTF-16: send UTF-8'],
    ['UTF-16 without a mark', '{\0}\0\n\0', [HEAD], 'it is UTF-16'],
    [
      'a large file that ends early',
      `{}\n${FILE(99_999)}\n${EVENT}\n${A}`,
      [HEAD, 'skipped'],
      'it is too long to be read without its framing',
    ],
    ['a long line of nonsense', 'x'.repeat(70_000), [HEAD], 'at byte 0'],
  ])('with %s is read as far as it is understood, and says what is not', (_name, text, parts, problem) => {
    const parsed = parse(text);
    expect(parsed).toEqual({ parts, problem: expect.stringContaining(problem) });
    expect(parse(...text)).toEqual(parsed);
  });

  it('without any bytes is an empty body', () => {
    expect(parse()).toEqual({ parts: [], problem: 'BODY_EMPTY' });
    expect(parse('\n', '\r\n')).toEqual({ parts: [], problem: 'BODY_EMPTY' });
  });

  it('of more than 10,000 items is too long', () => {
    const items = (count: number) => `{}\n${'{"type":"span"}\n\n'.repeat(count)}`;
    expect(parse(items(10_000)).problem).toBeUndefined();
    expect(parse(items(10_001)).problem).toBe('ENVELOPE_TOO_LONG');
    expect(parse('{}\n'.repeat(10_002)).problem).toBe('ENVELOPE_TOO_LONG');
  });

  it('is parsed alike from any chunks', () => {
    const token = fc.constantFrom(
      '{}',
      '\n',
      '\r',
      EVENT,
      SIZED(0),
      SIZED(2),
      SIZED(200),
      FILE(3),
      A,
      PRETTY,
      'ab',
      '"',
      '{',
      '[',
      ']',
      '{"type":"x"}',
      '\xef\xbb\xbf',
    );
    const body = fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat({ max: 60 }), { maxLength: 5 }), (text, cuts) => {
        const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(parse(...chunks)).toEqual(parse(text));
      }),
    );
  });

  it('gives each of its events whatever its lengths say', () => {
    const item = fc.record({
      event: fc.constantFrom(A, B, PRETTY),
      length: fc.option(fc.nat({ max: 95 })),
      end: fc.constantFrom('\n', '\r\n'),
    });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
        const lines = items.map(({ event, length, end }) => `{"type":"event","length":${length}}${end}${event}${end}`);
        const { parts } = parse(`{}\n${lines.join('')}`);
        // Line ends where a payload was taken to end may become others.
        const events = items.map(({ event }) => `event:${event.replace(/\s/g, '')}`);
        const whole = parts.filter((part) => events.includes(part.replace(/\s/g, '')));
        // A wrong length may end where another item ends; then this item is not JSON, which is told later.
        expect(whole.length === items.length || parts.some((part) => /\}\r?\n\{/.test(part))).toBe(true);
      }),
    );
  });

  it('is read in time that grows with its length, however it is broken', () => {
    for (const line of ['{\n', '{"\n', '{"\\\n', '[[[[{"a":\n', '{"type":"x"\n', '"\n', '[{"a":"b"\n']) {
      expect(parse(line.repeat(100_000)).problem).toMatch(/^(?:ENVELOPE_TOO_LONG$|at byte )/);
    }
  });

  it('keeps no bytes of skipped items that are large', () => {
    const held = new IngestMemory(1_000).begin();
    const pieces = new HeldBody(held);
    let skipped = 0;
    const sink = { header: () => {}, item: () => {}, skipped: () => void skipped++ };
    const parser = new EnvelopeParser(WANTED, pieces, held, sink);
    parser.push(Buffer.from(`{}\n{"type":"attachment","length":6400000}\n`));
    for (let chunk = 0; chunk < 100; chunk++) parser.push(Buffer.alloc(64_000));
    parser.end();
    expect([skipped, pieces.bytes]).toEqual([1, 0]);
  });
});
