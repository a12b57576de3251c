import type { OtlpLogRecord } from '../../../../../collector/otlp/otlp-records.js';
import { logsOf } from './decoded.js';
import { bytesField, logsBody, tag, varint, varintField } from './wire.js';

const UNKNOWN = [
  varintField(100, 5),
  bytesField(101, 'later'),
  Buffer.concat([tag(102, 1), Buffer.alloc(8)]),
  Buffer.concat([tag(103, 5), Buffer.alloc(4)]),
  Buffer.concat([tag(104, 3), tag(1, 3), varintField(1, 2), tag(1, 4), bytesField(2, 'in a group'), tag(104, 4)]),
];

async function logOf(...fields: readonly Buffer[]): Promise<OtlpLogRecord> {
  const { records, bad } = await logsOf(logsBody(Buffer.concat(fields)));
  expect(bad).toEqual([]);
  const [record] = records;
  if (record === undefined) throw new Error('no record');
  return record;
}

function attribute(key: string, ...value: readonly Buffer[]): Buffer {
  return bytesField(6, bytesField(1, key), bytesField(2, ...value));
}

describe('a request in protobuf', () => {
  it('may have no records', async () => {
    for (const body of [Buffer.alloc(0), bytesField(1), bytesField(1, bytesField(2))]) {
      expect(await logsOf(body)).toEqual({ records: [], bad: [], partSizes: [] });
    }
  });

  it('may have its resource, scope and schemas after its records', async () => {
    const scope = bytesField(2, bytesField(2), bytesField(3, 'urn:scope'), bytesField(1, bytesField(1, 'lib')));
    const { records } = await logsOf(
      bytesField(1, scope, bytesField(3, 'urn:resource'), bytesField(1, varintField(2, 7))),
    );
    expect(records).toMatchObject([
      {
        scope: { name: 'lib', schemaUrl: 'urn:scope' },
        resource: { droppedAttributesCount: 7, schemaUrl: 'urn:resource' },
      },
    ]);
  });

  it('may have unknown fields at every level', async () => {
    const resource = bytesField(1, varintField(2, 3), ...UNKNOWN);
    const scope = bytesField(1, bytesField(1, 'lib'), ...UNKNOWN);
    const value = bytesField(2, ...UNKNOWN, varintField(3, 5), ...UNKNOWN);
    const record = bytesField(2, ...UNKNOWN, bytesField(6, ...UNKNOWN, bytesField(1, 'a'), value), varintField(2, 17));
    const group = bytesField(1, ...UNKNOWN, resource, bytesField(2, ...UNKNOWN, scope, record));
    const { records } = await logsOf(Buffer.concat([...UNKNOWN, group, ...UNKNOWN]));
    expect(records).toMatchObject([
      {
        severityNumber: 17,
        attributes: new Map([['a', 5]]),
        scope: { name: 'lib' },
        resource: { droppedAttributesCount: 3 },
      },
    ]);
  });

  it('treats a known field of another wire type as unknown', async () => {
    const record = await logOf(bytesField(2, 'seventeen'), varintField(3, 5), varintField(1, 7), bytesField(12, 'e'));
    expect(record).toMatchObject({ severityNumber: 0, severityText: '', timeUnixNano: 0n, eventName: 'e' });
  });

  it('has exact integers, as text beyond 2^53', async () => {
    const values = [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)];
    const { attributes } = await logOf(...values.map((value, index) => attribute(`${index}`, varintField(3, value))));
    const expected = [
      0,
      -1,
      9007199254740991,
      '9007199254740992',
      '-9007199254740992',
      '9223372036854775807',
      '-9223372036854775808',
    ];
    expect([...attributes.values()]).toEqual(expected);
  });

  it('has NaN and the infinities as text', async () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5].map((value, index) => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value);
      return attribute(`${index}`, tag(4, 1), bytes);
    });
    expect([...(await logOf(...values)).attributes.values()]).toEqual(['NaN', 'Infinity', '-Infinity', 0.5]);
  });

  it('may have unknown enums, and has flags of 8 bits', async () => {
    const flags = Buffer.concat([tag(8, 5), Buffer.from([0x01, 0x01, 0, 0])]);
    expect(await logOf(varintField(2, 99), flags)).toMatchObject({ severityNumber: 99, flags: 1 });
    expect(await logOf(varintField(2, -1))).toMatchObject({ severityNumber: -1 });
  });

  it('has no id if it has another length or is all zeros', async () => {
    expect(await logOf(bytesField(9, Buffer.alloc(16)), bytesField(10, Buffer.alloc(7, 1)))).toMatchObject({
      traceId: '',
      spanId: '',
    });
    expect(await logOf(bytesField(9, Buffer.alloc(16, 0xab)), bytesField(10, Buffer.alloc(8, 1)))).toMatchObject({
      traceId: 'ab'.repeat(16),
      spanId: '01'.repeat(8),
    });
  });

  it('has U+FFFD for invalid UTF-8, and keeps NUL', async () => {
    expect((await logOf(bytesField(3, Buffer.from([0x61, 0xff, 0x00])))).severityText).toBe('a\ufffd\0');
  });

  it('keeps the last of several attributes with the same key, and of several values in one attribute', async () => {
    const twice = [
      attribute('a', bytesField(1, 'x')),
      attribute('a', bytesField(1, 'y'), varintField(2, 1)),
      attribute('b', varintField(8, 3)),
    ];
    expect([...(await logOf(...twice)).attributes]).toEqual([
      ['a', true],
      ['b', null],
    ]);
  });

  it('may have keys that name a prototype', async () => {
    const pair = bytesField(1, bytesField(1, '__proto__'), bytesField(2, varintField(2, 1)));
    const { body } = await logOf(bytesField(5, bytesField(6, pair)));
    expect(JSON.stringify(body)).toBe('{"__proto__":true}');
  });

  it('keeps its valid records if one is malformed, and reports the bytes of that one', async () => {
    const broken = bytesField(3, 'half').subarray(0, 4);
    const { records, bad } = await logsOf(logsBody(varintField(2, 1), broken, varintField(2, 3)));
    expect(records.map(({ severityNumber }) => severityNumber)).toEqual([1, 3]);
    const reason = expect.stringMatching(/protobuf breaks/);
    expect(bad).toEqual([{ code: 'OTLP_RECORD_INVALID', reason, received: broken }]);
  });

  it('rejects a value that extends beyond its record', async () => {
    const greedy = Buffer.concat([tag(6, 2), varint(4), tag(1, 2), varint(100), Buffer.from('ab')]);
    const { records, bad } = await logsOf(logsBody(greedy, bytesField(3, 'x'.repeat(200))));
    expect(bad).toHaveLength(1);
    expect(records).toMatchObject([{ severityText: 'x'.repeat(200), attributes: new Map() }]);
  });

  it.each([
    ['a length beyond the end', Buffer.from([0x0a, 0x05, 0x00])],
    ['field number 0', Buffer.from([0x02, 0x00])],
    ['a wire type that does not exist', Buffer.from([0x0e, 0x00])],
    ['a group without an end', tag(9, 3)],
    ['a group without a beginning', tag(9, 4)],
    ['a broken scope list', bytesField(1, Buffer.from([0x12, 0x7f]))],
    ['a broken resource', bytesField(1, bytesField(1, Buffer.from([0x0a, 0x7f])))],
    ['a broken scope', bytesField(1, bytesField(2, bytesField(1, Buffer.from([0x0a, 0x7f]))))],
  ])('is refused as a whole for %s', async (_name, body) => {
    // Everything around the records is checked before the first record is returned, so a valid record before the error makes no difference.
    const refusal = { code: 'OTLP_INVALID', retryable: false, message: expect.stringMatching(/at byte \d+/) };
    await expect(logsOf(Buffer.concat([logsBody(varintField(2, 1)), body]))).rejects.toMatchObject(refusal);
  });

  it('keeps 64 levels of nesting and reports where there were more', async () => {
    const nested = (levels: number): Buffer => {
      let value = varintField(3, 1);
      for (let level = 0; level < levels; level++) value = bytesField(5, bytesField(1, value));
      return bytesField(5, value);
    };
    expect(JSON.stringify((await logOf(nested(64))).body)).toBe(`${'['.repeat(64)}1${']'.repeat(64)}`);
    expect(JSON.stringify((await logOf(nested(65))).body)).toContain('"[nested deeper than 64 levels]"');
    expect(JSON.stringify((await logOf(nested(5_000))).body)).toContain('"[nested deeper than 64 levels]"');
  });

  it('may have 100,000 nested groups around its records, and bad records with as many', async () => {
    const groups = Buffer.concat([Buffer.alloc(100_000, tag(2, 3)), Buffer.alloc(100_000, tag(2, 4))]);
    expect((await logsOf(Buffer.concat([groups, logsBody(varintField(2, 1))]))).records).toHaveLength(1);
    expect((await logsOf(logsBody(groups))).bad).toHaveLength(1);
  });

  it('may have a hundred thousand tiny records, which are returned in batches of sixteen', async () => {
    const { records, partSizes } = await logsOf(logsBody(...new Array<Buffer>(100_000).fill(Buffer.alloc(0))));
    expect(records).toHaveLength(100_000);
    expect(new Set(partSizes)).toEqual(new Set([16]));
  });
});
