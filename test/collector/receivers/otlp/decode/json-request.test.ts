import { enlarged, logsOf, logsRequest } from './decoded.js';

const LARGE = 'x'.repeat(300_000);

function largeText(records: string): Buffer {
  return Buffer.from(`{"padding":"${LARGE}","resourceLogs":[{"scopeLogs":[{"logRecords":[${records}]}]}]}`);
}

describe('a request in JSON', () => {
  it.each([
    '{}',
    ' {"resourceLogs":[]} ',
    '{"resourceLogs":[{}]}',
    '{"resourceLogs":[{"scopeLogs":[{}]}]}',
    '\ufeff{}',
  ])('may have no records: %j', async (text) => {
    expect(await logsOf(Buffer.from(text), 'json')).toEqual({ records: [], bad: [], partSizes: [] });
  });

  it.each([
    ['', /is not JSON/],
    ['nonsense', /is not JSON/],
    ['{"resourceLogs":[', /is not JSON/],
    ['null', /it is null/],
    ['[]', /it is an array/],
    ['{"resourceLogs":{}}', /resourceLogs is an object, send an array/],
    ['{"resourceLogs":[5]}', /resourceLogs\[0\] is a number/],
    ['{"resourceLogs":[{},{"scopeLogs":"x"}]}', /resourceLogs\[1\]\.scopeLogs is a string/],
    [
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":{}}]}]}',
      /resourceLogs\[0\]\.scopeLogs\[0\]\.logRecords is an object/,
    ],
  ])('is refused as a whole if it is %j', async (text, message) => {
    const refusal = { code: 'OTLP_INVALID', retryable: false, message: expect.stringMatching(message) };
    await expect(logsOf(Buffer.from(text), 'json')).rejects.toMatchObject(refusal);
    const large = Buffer.from(text.replace('{', `{"padding":"${LARGE}",`));
    await expect(logsOf(large, 'json')).rejects.toMatchObject({ ...refusal, message: expect.any(String) });
  });

  it.each(['[{},]', '[,{}]', '[{} {}]', '[{}}', '[{}', '[{"flags":}]'])(
    'is refused if it is large and its records are %j',
    async (list) => {
      const body = Buffer.from(`{"padding":"${LARGE}","resourceLogs":[{"scopeLogs":[{"logRecords":[{}]},${list}]}]}`);
      await expect(logsOf(body, 'json')).rejects.toMatchObject({ code: 'OTLP_INVALID' });
    },
  );

  it('keeps its valid records if one is not an object, and reports the bytes of that one', async () => {
    for (const body of [
      Buffer.from(JSON.stringify(logsRequest([{ flags: 1 }, [1, 2], { flags: 3 }]))),
      largeText('{"flags":1}, [1,2] ,{"flags":3}'),
    ]) {
      const { records, bad } = await logsOf(body, 'json');
      expect(records.map(({ flags }) => flags)).toEqual([1, 3]);
      const reason = 'The record is not an object.';
      expect(bad).toEqual([{ code: 'OTLP_RECORD_INVALID', reason, received: Buffer.from('[1,2]') }]);
    }
  });

  it('is refused before it is parsed if it has more members besides its records than the limit', async () => {
    const body = Buffer.from(`{"unknown":[${'1,'.repeat(1_500_000)}nonsense]}`);
    const message = expect.stringMatching(/more than 1500000 members.* besides its records: send it in parts/);
    await expect(logsOf(body, 'json')).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', message });
  });

  it('may have more members than are parsed at once, of which a record with too many is rejected alone', async () => {
    const many = `{"body":{"kvlistValue":{"values":[${'1,'.repeat(1_500_000)}1]}}}`;
    const { records, bad } = await logsOf(
      largeText(`{"flags":1} , ${many},\n{"flags":3,"severityText":"]}\\""}`),
      'json',
    );
    expect(records.map(({ flags }) => flags)).toEqual([1, 3]);
    expect(bad).toMatchObject([{ code: 'EVENT_TOO_MANY_MEMBERS', received: Buffer.from(many) }]);
  });

  it.each(['{},', '{"flags":}'])(
    'is refused as a whole if it has more members than are parsed at once, and its records end with %j',
    async (end) => {
      const body = largeText(`${'{"flags":1},'.repeat(800_000)}${end}`);
      await expect(logsOf(body, 'json')).rejects.toMatchObject({ code: 'OTLP_INVALID' });
    },
  );

  it('may be large, with strings, keys and white space of any kind', async () => {
    const text = `{ "padding" : "${LARGE}" , "resource\\u004cogs" : [ { "scopeLogs" : [ { "logRecords" : [ {"flags":1, "body":{"stringValue":"]}\\\\\\"[{"}} , {} ] , "scope":{"name":"a"} } ], "resource":{"droppedAttributesCount":2} } ] }`;
    const { records } = await logsOf(Buffer.from(text), 'json');
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({
      flags: 1,
      body: ']}\\"[{',
      scope: { name: 'a' },
      resource: { droppedAttributesCount: 2 },
    });
  });

  it('may have a hundred thousand tiny records, which are returned in batches of sixteen', async () => {
    const { records, partSizes } = await logsOf(enlarged(logsRequest(new Array(100_000).fill({}))), 'json');
    expect(records).toHaveLength(100_000);
    expect(new Set(partSizes)).toEqual(new Set([16]));
  });

  it('lets the event loop run while it is decoded', async () => {
    let turns = 0;
    let isDecoded = false;
    const turn = (): void => {
      turns++;
      if (!isDecoded) setImmediate(turn);
    };
    setImmediate(turn);
    await logsOf(enlarged(logsRequest(new Array(100_000).fill({}))), 'json');
    isDecoded = true;
    expect(turns).toBeGreaterThan(2);
  });
});

describe('nesting', () => {
  const deep = (levels: number, value: string): string =>
    `${'{"arrayValue":{"values":['.repeat(levels)}${value}${']}}'.repeat(levels)}`;

  it('is kept up to 64 levels in JSON', async () => {
    const kept = await logsOf(
      Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${deep(64, '{"intValue":1}')}}]}]}]}`),
      'json',
    );
    expect(JSON.stringify(kept.records[0]?.body)).toBe(`${'['.repeat(64)}1${']'.repeat(64)}`);
    const cut = await logsOf(
      Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${deep(65, '{"intValue":1}')}}]}]}]}`),
      'json',
    );
    expect(JSON.stringify(cut.records[0]?.body)).toContain('"[nested deeper than 64 levels]"');
  });

  it('of 100,000 levels does not break decoding, at any position in JSON', async () => {
    const levels = 100_000;
    const brackets = '['.repeat(levels) + ']'.repeat(levels);
    const values = await logsOf(largeText(`{"body":${deep(levels, '{}')}}`), 'json');
    expect(values.records).toHaveLength(1);
    const unknown = await logsOf(largeText(`{"unknown":${brackets}}`), 'json');
    expect(unknown.records).toHaveLength(1);
    const record = await logsOf(Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${brackets}]}]}]}`), 'json');
    expect(record.bad).toHaveLength(1);
    await expect(logsOf(Buffer.from(brackets), 'json')).rejects.toMatchObject({ code: 'OTLP_INVALID' });
  });
});
