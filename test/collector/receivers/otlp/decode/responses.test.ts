import { encodeExportResponse, encodeStatus } from '../../../../../collector/otlp/responses.js';

function hexOf(body: Uint8Array | string): string {
  return Buffer.from(body).toString('hex');
}

describe('the response to an accepted request', () => {
  it('is an empty message if every record was accepted', () => {
    expect(encodeExportResponse('logs', 'json', undefined)).toBe('{}');
    expect(encodeExportResponse('traces', 'protobuf', undefined)).toHaveLength(0);
  });

  it('has the number of rejected records and the reason', () => {
    const partial = { rejected: 1, message: 'one bad' };
    expect(hexOf(encodeExportResponse('logs', 'protobuf', partial))).toBe('0a0b080112076f6e6520626164');
    expect(encodeExportResponse('logs', 'json', partial)).toBe(
      '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"one bad"}}',
    );
    expect(encodeExportResponse('traces', 'json', partial)).toBe(
      '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"one bad"}}',
    );
  });

  it('may have a warning without rejected records', () => {
    const partial = { rejected: 0, message: 'slow down' };
    expect(hexOf(encodeExportResponse('traces', 'protobuf', partial))).toBe('0a0b1209736c6f7720646f776e');
    expect(encodeExportResponse('logs', 'json', partial)).toContain('"rejectedLogRecords":"0"');
  });

  it('counts beyond one byte', () => {
    const response = encodeExportResponse('logs', 'protobuf', { rejected: 300, message: 'x' });
    expect(hexOf(response)).toBe('0a0608ac02120178');
  });
});

describe('the Status of a refused request', () => {
  it('has a code and a message in both encodings', () => {
    expect(encodeStatus('json', 3, 'bad')).toBe('{"code":3,"message":"bad"}');
    expect(hexOf(encodeStatus('protobuf', 3, 'bad'))).toBe('08031203626164');
  });

  it('has a message of at most 1,024 characters, cut between characters', () => {
    const message = `${'x'.repeat(1_023)}😀`;
    expect(JSON.parse(String(encodeStatus('json', 13, message)))).toEqual({ code: 13, message: 'x'.repeat(1_023) });
    expect(encodeStatus('protobuf', 13, '€'.repeat(5_000_000))).toHaveLength(3 * 1_024 + 5);
  });
});
