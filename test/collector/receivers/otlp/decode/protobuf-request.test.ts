import { openProtobufReader } from '../../../../../collector/otlp/protobuf-reader.js';
import { LOG_RECORD } from '../../../../../collector/receivers/otlp/decode/otlp-messages.js';
import { protobufSteps } from '../../../../../collector/receivers/otlp/decode/protobuf-request.js';
import { bytesField, varintField } from './wire.js';

describe('a request in protobuf', () => {
  it('pauses while it passes fields without a record, each time it does', async () => {
    const fields = 100_000;
    const unknown = Buffer.alloc(2 * fields, varintField(5, 1));
    const body = bytesField(1, bytesField(2, unknown));
    const pauses = [...protobufSteps(body, await openProtobufReader(body, 100), LOG_RECORD, 'logs')].length;
    // For the envelope and the first record, then for the envelope and the records.
    expect(pauses).toBeGreaterThan((4 * fields) / 1_100);
  });
});
