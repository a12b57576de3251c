import fc from 'fast-check';
import { HeldBody, IngestMemory } from '../../../../../collector/component/ingest-memory.js';
import { EnvelopeParser } from '../../../../../collector/receivers/sentry/envelope/envelope-parser.js';
import { Fault } from '../../../../../core/event/fault.js';

const MAX_EVENT_BYTES = 100;

interface Parsed {
  /** What was parsed before the end or a fault: `header`, `skipped`, `<type>:<payload>`, or `<type>!<bytes>` for an item that is too large. */
  readonly parts: string[];
  /** Code of the fault that ended parsing. */
  readonly fault?: string;
  readonly unfinished: string;
}

/** Parses a body that arrives in these chunks; each character is one byte. */
function parse(...chunks: readonly string[]): Parsed {
  const parts: string[] = [];
  const pieces = new HeldBody(new IngestMemory(1_000_000).begin());
  const parser = new EnvelopeParser(new Map([['event', MAX_EVENT_BYTES]]), pieces, {
    header: (header) => void parts.push(`header ${JSON.stringify(header)}`),
    item: (type, payload, bytes) =>
      void parts.push(payload === undefined ? `${type}!${bytes}` : `${type}:${payload.toString('latin1')}`),
    skipped: (isMinidump) => void parts.push(isMinidump ? 'minidump' : 'skipped'),
  });
  try {
    for (const chunk of chunks) parser.push(Buffer.from(chunk, 'latin1'));
    parser.end();
    return { parts, unfinished: '' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { parts, fault: error.code, unfinished: pieces.copy().toString('latin1') };
  }
}

const EVENT = '{"type":"event"}';
const SIZED = (bytes: number) => `{"type":"event","length":${bytes}}`;

describe('an envelope', () => {
  it.each([
    ['of a header alone is empty', '{}', ['header {}']],
    ['of a header and a newline is empty', '{}\n', ['header {}']],
    ['without length ends its item with the line', `{}\n${EVENT}\nab\n`, ['header {}', 'event:ab']],
    ['without length ends its item with the body', `{}\n${EVENT}\nab`, ['header {}', 'event:ab']],
    ['keeps a carriage return in a payload without length', `{}\n${EVENT}\nab\r\n`, ['header {}', 'event:ab\r']],
    ['with a length may hold any byte', `{}\n${SIZED(6)}\na\nb\r\n\0\n`, ['header {}', 'event:a\nb\r\n\0']],
    ['with a length may end without newline', `{}\n${SIZED(2)}\nab`, ['header {}', 'event:ab']],
    ['of length 0 and an empty line is an empty payload', `{}\n${SIZED(0)}\n\n`, ['header {}', 'event:']],
    ['of length 0 may end there', `{}\n${SIZED(0)}\n`, ['header {}', 'event:']],
    ['{}\\n{}\\n has one item of an empty payload', '{}\n{}\n', ['header {}', 'skipped']],
    [
      'may have blank lines between items',
      `{}\n\n\r\n${EVENT}\na\n\n\n${EVENT}\nb\n\n`,
      ['header {}', 'event:a', 'event:b'],
    ],
    ['may have a carriage return after a header', `{}\r\n${EVENT}\r\nab`, ['header {}', 'event:ab']],
    [
      'skips unknown items with their payload',
      `{}\n{"type":"x","length":3}\n\n{}\n${EVENT}\nab`,
      ['header {}', 'skipped', 'event:ab'],
    ],
    [
      'names skipped minidumps',
      `{}\n{"type":"attachment","attachment_type":"event.minidump","length":4}\nMDMP\n{"type":"attachment"}\na`,
      ['header {}', 'minidump', 'skipped'],
    ],
    ['takes a length of null for none', `{}\n{"type":"event","length":null}\nab`, ['header {}', 'event:ab']],
    [
      'says which item is too large and goes on',
      `{}\n${SIZED(101)}\n${'a'.repeat(101)}\n${EVENT}\n${'b'.repeat(102)}\n${EVENT}\nc`,
      ['header {}', 'event!101', 'event!102', 'event:c'],
    ],
  ])('%s', (_name, text, parts) => {
    expect(parse(text)).toEqual({ parts, unfinished: '' });
    expect(parse(...text)).toEqual({ parts, unfinished: '' });
  });

  it.each([
    ['with a byte after the length', `{}\n${SIZED(1)}\nab\n`, ['header {}', 'event:a'], ''],
    ['that ends before the length', `{}\n${EVENT}\nx\n${SIZED(3)}\nab`, ['header {}', 'event:x'], 'ab'],
    ['that ends after the header of an item', `{}\n${EVENT}\nx\n{}`, ['header {}', 'event:x'], ''],
    ['whose header is not JSON', 'nonsense\n', [], ''],
    ['whose header is not an object', '[]\n', [], ''],
    ['whose header is blank', '\n{}\n', [], ''],
    ['whose header is not UTF-8', '{"a":"\xff"}\n', [], ''],
    ['with an item whose header is not JSON', `{}\n${EVENT}\nx\nnonsense\n`, ['header {}', 'event:x'], ''],
    ['with a negative length', '{}\n{"length":-1}\n', ['header {}'], ''],
    ['with a length of a fraction', '{}\n{"length":1.5}\n', ['header {}'], ''],
    ['with a length of text', '{}\n{"length":"1"}\n', ['header {}'], ''],
  ])('%s is malformed, and the complete items before it are kept', (_name, text, parts, unfinished) => {
    const expected = { parts, fault: 'ENVELOPE_MALFORMED', unfinished };
    expect(parse(text)).toEqual(expected);
    expect(parse(...text)).toEqual(expected);
  });

  it('without any bytes is an empty body', () => {
    expect(parse()).toEqual({ parts: [], fault: 'BODY_EMPTY', unfinished: '' });
  });

  it('with an endless header line is malformed as soon as the line is too long', () => {
    const line = `{"a":"${'x'.repeat(70_000)}`;
    expect(parse(line).fault).toBe('ENVELOPE_MALFORMED');
    expect(parse('{}\n', line).fault).toBe('ENVELOPE_MALFORMED');
  });

  it('of more than 10,000 items is too long', () => {
    expect(parse(`{}\n${'{}\n\n'.repeat(10_000)}`).fault).toBeUndefined();
    expect(parse(`{}\n${'{}\n\n'.repeat(10_001)}`).fault).toBe('ENVELOPE_TOO_LONG');
  });

  it('is parsed alike from any chunks', () => {
    const token = fc.constantFrom('{}', '\n', '\r', EVENT, SIZED(0), SIZED(2), SIZED(200), 'ab', '"', '{"type":"x"}');
    const body = fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat({ max: 60 }), { maxLength: 5 }), (text, cuts) => {
        const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(parse(...chunks)).toEqual(parse(text));
      }),
    );
  });

  it('keeps no bytes of skipped items, of any length', () => {
    const held = new IngestMemory(1_000).begin();
    const pieces = new HeldBody(held);
    let skipped = 0;
    const sink = { header: () => {}, item: () => {}, skipped: () => void skipped++ };
    const parser = new EnvelopeParser(new Map([['event', MAX_EVENT_BYTES]]), pieces, sink);
    parser.push(Buffer.from(`{}\n{"type":"attachment","length":6400000}\n`));
    for (let chunk = 0; chunk < 100; chunk++) parser.push(Buffer.alloc(64_000));
    parser.end();
    expect([skipped, pieces.bytes]).toEqual([1, 0]);
  });
});
