import { decodeRawLine, decodeSentLine, encodeRawLine } from '../../../core/event/raw-line.js';
import { RAW_PAYLOAD_KEYS } from '../../../core/event/raw-payload.js';
import { samplePayload } from './sample-payload.js';

function faultOf(line: string | Uint8Array): unknown {
  try {
    decodeRawLine(line);
  } catch (fault) {
    return fault;
  }
  return undefined;
}

describe('a raw line', () => {
  it('holds the 17 keys in alphabetical order, for any order of the payload', () => {
    const { app, ...rest } = samplePayload();
    const line = encodeRawLine({ ...rest, app }).toString();
    expect(Object.keys(JSON.parse(line))).toEqual([...RAW_PAYLOAD_KEYS]);
    expect([...RAW_PAYLOAD_KEYS]).toEqual([...RAW_PAYLOAD_KEYS].sort());
  });

  it('is one line of valid UTF-8 for any strings', () => {
    const payload = samplePayload({ message: 'a\nb\r\u2028\u0000 \ud800 😀 é', stack: 'x\n y' });
    const line = encodeRawLine(payload);
    expect(line.includes(0x0a)).toBe(false);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(line)).not.toThrow();
    expect(decodeRawLine(line)).toEqual({ ...payload, message: payload.message.toWellFormed() });
    expect(line.toString()).not.toContain('\\ud800');
  });

  it('keeps members whose keys become equal', () => {
    const tags = { 'a\ud800': '1', 'a\udfff': '2', 'a\ufffd': '3' };
    const line = encodeRawLine(samplePayload({ tags }));
    expect(decodeRawLine(line).tags).toEqual({ 'a\ufffd': '1', 'a\ufffd2': '2', 'a\ufffd3': '3' });
  });

  it('of an earlier version is read without halves of surrogate pairs', () => {
    const extra = { '\ud83d': ['\udfff', { a: 'cut \ud83d' }] };
    const written = JSON.stringify(samplePayload({ message: 'cut \ud83d', extra }));
    const read = samplePayload({ message: 'cut \ufffd', extra: { '\ufffd': ['\ufffd', { a: 'cut \ufffd' }] } });
    expect(decodeRawLine(written)).toEqual(read);
    expect(decodeSentLine(Buffer.from(written)).encoded).toEqual(encodeRawLine(read));
  });

  it('of another collector stays as it is, also with whole pairs in escapes', () => {
    const line = Buffer.from(
      JSON.stringify(samplePayload()).replace('{', '{ ').replace('"env":"', '"env":"\\ud83d\\ude00'),
    );
    expect(decodeSentLine(line).encoded).toBe(line);
  });

  it('is parsed from bytes, from a view into a larger buffer, and from text, with or without a newline', () => {
    const payload = samplePayload();
    const line = encodeRawLine(payload);
    const larger = Buffer.concat([Buffer.from('xx'), line, Buffer.from('\nyy')]);
    expect(decodeRawLine(line)).toEqual(payload);
    expect(decodeRawLine(new Uint8Array(larger.buffer, larger.byteOffset + 2, line.length + 1))).toEqual(payload);
    expect(decodeRawLine(line.toString())).toEqual(payload);
  });

  it.each(RAW_PAYLOAD_KEYS)('is refused without %s', (key) => {
    const { [key]: _, ...rest } = samplePayload();
    expect(faultOf(JSON.stringify(rest))).toMatchObject({
      code: 'RAW_LINE_INVALID',
      message: expect.stringContaining(key),
    });
  });

  it.each([
    ['no JSON', '{"app":'],
    ['nothing', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['an unknown key', JSON.stringify({ ...samplePayload(), zone: 1 })],
    ['a tag that is not a string', JSON.stringify({ ...samplePayload(), tags: { a: 1 } })],
    ['a status code that is not an integer', JSON.stringify({ ...samplePayload(), status_code: 1.5 })],
  ])('is refused if it holds %s', (_, text) => {
    expect(faultOf(text)).toMatchObject({ code: 'RAW_LINE_INVALID', retryable: false });
  });

  it('is refused without quoting its content', () => {
    const fault = faultOf(JSON.stringify({ ...samplePayload(), message: 5, user_id: 'secret-user' }));
    expect(fault).toMatchObject({ message: expect.stringContaining('/message must be string') });
    expect(String(fault)).not.toContain('secret-user');
  });
});
