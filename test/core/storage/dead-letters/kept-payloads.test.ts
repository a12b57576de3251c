import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { readSentJson } from '../../../../core/event/sent-json.js';
import { MAX_CONTENT_BYTES } from '../../../../core/storage/dead-letters/encode-content.js';
import { deadLettersOf } from '../../../helpers/dead-letters.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { closeLogs, filesOf, openLog, recordsOf, rejection } from './log-under-test.js';

afterEach(closeLogs);
afterAll(removeTemporaryFolders);

/** Stores bytes and returns their record with its line. */
async function keep(received: string | Uint8Array, bytes?: number | null) {
  const directory = await temporaryFolder();
  const log = await openLog(directory);
  await log.append('events', [rejection(received, bytes === undefined ? {} : { bytes })]);
  const [record, ...others] = await deadLettersOf(directory);
  const [file = ''] = await filesOf(directory);
  if (record === undefined || others.length > 0) throw new Error('expected one record');
  return { record, text: (await readFile(join(directory, 'rejected', file), 'utf8')).slice(0, -1) };
}

describe('a rejected payload that is JSON', () => {
  it('stands in its record byte for byte', async () => {
    const json = '{"b":1.00e2, "b":-0.10,"a":"\\u0041\\/\\ud83d\\uDE00","é":"\u2028"}';
    const { text } = await keep(json);
    expect(text).toBe(
      `{"rejected_at":"2026-11-21T10:00:00.000Z","receiver":"events","code":"EVENT_INVALID","field":"/message","reason":"must be string","bytes":${Buffer.byteLength(json)},"payload":${json}}`,
    );
  });

  it('has text for integers beyond 2^53, and no halves of surrogate pairs', async () => {
    const { text, record } = await keep(
      '{"b":1.00e2, "b": 12345678901234567890,"a":["\\\\ud800","\\ud83d\\ud83d\\ude00"]}',
    );
    const json = '{"b":1.00e2, "b": "12345678901234567890","a":["\\\\ud800","\ufffd\u{1f600}"]}';
    expect(text.endsWith(`"payload":${json}}`)).toBe(true);
    expect(record.content).toEqual({ kind: 'payload', value: JSON.parse(json) });
  });

  it('keeps keys of the record and of prototypes inside the payload', async () => {
    const json = '{"__proto__":{"polluted":true},"constructor":1,"code":"X","payload":2,"text":"t"}';
    const { record, text } = await keep(json);
    expect(text.endsWith(`"payload":${json}}`)).toBe(true);
    expect(record.code).toBe('EVENT_INVALID');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.hasOwn(Object(record.content?.value), '__proto__')).toBe(true);
  });

  it.each(['null', '0', 'false', '""', '[]'])('differs from missing content when it is %s', async (json) => {
    expect((await keep(json)).record.content).toEqual({ kind: 'payload', value: JSON.parse(json) });
  });

  it('loses its line breaks between tokens and nothing else', async () => {
    const { record } = await keep('{\r\n  "a": "x\\ny",\n  "b": [1,\n2]\n}\n');
    expect(record.content).toEqual({ kind: 'payload', value: { a: 'x\ny', b: [1, 2] } });
  });

  it('is stored as text when it is nested too deeply for readers of the file', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect((await keep(nested(200))).record.content?.kind).toBe('payload');
    expect((await keep(nested(201))).record.content).toEqual({ kind: 'text', value: nested(201) });
    expect((await keep(nested(100_000))).record.content).toEqual({ kind: 'text', value: nested(100_000) });
  });
});

describe('a rejected payload that is not JSON', () => {
  it.each([
    '{"half":',
    '{"a":1}{"b":2}',
    '"},"payload":{"a":1',
    'nul\u0000 \u001b[31m "quotes" \\',
    '\u2028\u202e',
    '',
  ])('is kept as text: %j', async (text) => {
    const { record, text: line } = await keep(text);
    expect(record).toMatchObject({
      content: { kind: 'text', value: text },
      isCut: false,
      bytes: Buffer.byteLength(text),
    });
    expect(Object.keys(JSON.parse(line)).filter((key) => ['payload', 'text', 'base64'].includes(key))).toEqual([
      'text',
    ]);
  });

  it('is stored as base64 when it is not UTF-8, even if it would parse with replacement characters', async () => {
    for (const bytes of [
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      Buffer.from([0x7b, 0x22, 0xc3]),
    ]) {
      const { record } = await keep(bytes);
      expect(record.content).toEqual({ kind: 'base64', value: bytes.toString('base64') });
    }
  });

  it('is recorded without content when its bytes are not available', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory);
    await log.append('events', [{ code: 'EVENT_TOO_LARGE', field: '', reason: 'is larger', bytes: null }]);
    expect(await recordsOf(directory)).toMatchObject([{ code: 'EVENT_TOO_LARGE', bytes: null, content: undefined }]);
  });
});

describe('a rejected payload that is large', () => {
  it('is cut at a code point and never stored as JSON', async () => {
    const long = `"${'🙂'.repeat(2_500_000)}"`;
    const { record, text } = await keep(long);
    expect(record).toMatchObject({ isCut: true, bytes: Buffer.byteLength(long), content: { kind: 'text' } });
    const kept = String(record.content?.value);
    expect(long.startsWith(kept)).toBe(true);
    // A half surrogate pair would not come back from UTF-8.
    expect(Buffer.from(kept).toString()).toBe(kept);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_CONTENT_BYTES + 1_000);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(MAX_CONTENT_BYTES - 16);
  });

  it('stays within the bound when every character needs an escape', async () => {
    const { record, text } = await keep('\u0000'.repeat(MAX_CONTENT_BYTES));
    expect(record).toMatchObject({ isCut: true, content: { kind: 'text' } });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_CONTENT_BYTES + 1_000);
  });

  it('keeps the beginning of bytes that are not text', async () => {
    const bytes = Buffer.alloc(2 * MAX_CONTENT_BYTES, 0xff);
    const { record } = await keep(bytes);
    expect(record).toMatchObject({ isCut: true, bytes: bytes.length, content: { kind: 'base64' } });
    const kept = Buffer.from(String(record.content?.value), 'base64');
    expect(bytes.subarray(0, kept.length).equals(kept)).toBe(true);
  });

  it('is marked as cut when the receiver had only its beginning', async () => {
    expect((await keep('{"a":1}', 8)).record).toMatchObject({ isCut: true, bytes: 8, content: { kind: 'text' } });
    expect((await keep('{"a":1}', null)).record).toMatchObject({ isCut: true, bytes: null, content: { kind: 'text' } });
    const half = Buffer.from('é').subarray(0, 1);
    expect((await keep(Buffer.concat([Buffer.from('x'), half]), 3)).record.content).toEqual({
      kind: 'text',
      value: 'x',
    });
  });

  it('has a field and a reason of bounded length', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory);
    await log.append('events', [rejection('{}', { field: `/tags/${'🙂'.repeat(10_000)}`, reason: 'r'.repeat(5_000) })]);
    const [record] = await recordsOf(directory);
    expect(Buffer.from(record?.field ?? '').toString()).toBe(record?.field);
    expect(record?.field.length).toBeLessThanOrEqual(1024);
    expect(record?.reason).toBe('r'.repeat(1024));
  });
});

describe('any bytes', () => {
  it('become one line that decodes to the same bytes, or to JSON with the same values as an event', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory);
    const sent: Uint8Array[] = [];
    const json = fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json,
          fc.uint8Array({ maxLength: 40 }),
          fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
        ),
        async (bytes) => {
          sent.push(bytes);
          await log.append('events', [rejection(bytes)]);
        },
      ),
    );
    const lines = (await deadLettersOf(directory)).reverse();
    expect(lines).toHaveLength(sent.length);
    for (const [index, line] of lines.entries()) {
      if (line === undefined) throw new Error('damaged');
      const bytes = Buffer.from(sent[index] ?? []);
      const { content } = line;
      if (content?.kind === 'base64') expect(Buffer.from(String(content.value), 'base64').equals(bytes)).toBe(true);
      else if (content?.kind === 'text') expect(content.value).toBe(bytes.toString());
      else expect(content?.value).toEqual(readSentJson(bytes.toString()));
    }
  });
});
