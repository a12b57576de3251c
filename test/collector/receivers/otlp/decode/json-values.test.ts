import type { JsonValue } from '../../../../../core/event/json.js';
import { SPAN, TRACE } from '../records.js';
import { logOf, logsOf, logsRequest, spansOf } from './decoded.js';

async function bodyOf(any: unknown): Promise<JsonValue> {
  return (await logOf({ body: any })).body;
}

async function bodiesOf(...values: unknown[]): Promise<JsonValue[]> {
  return Promise.all(values.map(bodyOf));
}

describe('a log record in JSON', () => {
  it('has all of its fields', async () => {
    const attributes = [
      { key: 'exception.type', value: { stringValue: 'TypeError' } },
      { key: 'http.response.status_code', value: { intValue: 500 } },
    ];
    const resource = {
      attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }],
      droppedAttributesCount: 2,
    };
    const record = {
      timeUnixNano: '1700000000123456789',
      observedTimeUnixNano: '1700000000123456790',
      severityNumber: 17,
      severityText: 'ERROR',
      body: { stringValue: 'cart failed' },
      eventName: 'exception',
      attributes,
      droppedAttributesCount: 1,
      flags: 257,
      traceId: TRACE.toUpperCase(),
      spanId: SPAN,
    };
    const scope = { name: 'my.lib', version: '1.0.0', attributes: [], droppedAttributesCount: 3 };
    const scopeLogs = [{ scope, logRecords: [record, {}], schemaUrl: 'urn:scope' }];
    const { records } = await logsOf({ resourceLogs: [{ resource, scopeLogs, schemaUrl: 'urn:resource' }] });
    expect(records[0]).toEqual({
      resource: {
        attributes: new Map([['service.name', 'checkout']]),
        droppedAttributesCount: 2,
        schemaUrl: 'urn:resource',
      },
      scope: {
        name: 'my.lib',
        version: '1.0.0',
        attributes: new Map(),
        droppedAttributesCount: 3,
        schemaUrl: 'urn:scope',
      },
      timeUnixNano: 1700000000123456789n,
      observedTimeUnixNano: 1700000000123456790n,
      severityNumber: 17,
      severityText: 'ERROR',
      body: 'cart failed',
      attributes: new Map<string, JsonValue>([
        ['exception.type', 'TypeError'],
        ['http.response.status_code', 500],
      ]),
      droppedAttributesCount: 1,
      flags: 1,
      traceId: TRACE,
      spanId: SPAN,
      eventName: 'exception',
    });
    expect(records[1]?.resource).toBe(records[0]?.resource);
    expect(records[1]?.scope).toBe(records[0]?.scope);
  });

  it('may have keys in snake_case', async () => {
    const record = {
      time_unix_nano: '1',
      observed_time_unix_nano: '2',
      severity_number: 9,
      severity_text: 'INFO',
      body: { kvlist_value: { values: [{ key: 'a', value: { array_value: { values: [{ int_value: '1' }] } } }] } },
      event_name: 'e',
      dropped_attributes_count: 4,
      trace_id: TRACE,
      span_id: SPAN,
    };
    const scope_logs = [{ log_records: [record], schema_url: 'urn:scope' }];
    const { records } = await logsOf({ resource_logs: [{ scope_logs, schema_url: 'urn:resource' }] });
    expect(records).toMatchObject([
      {
        timeUnixNano: 1n,
        observedTimeUnixNano: 2n,
        severityNumber: 9,
        severityText: 'INFO',
        body: { a: [1] },
        eventName: 'e',
        droppedAttributesCount: 4,
        traceId: TRACE,
        spanId: SPAN,
        resource: { schemaUrl: 'urn:resource' },
        scope: { schemaUrl: 'urn:scope' },
      },
    ]);
  });

  it('has bytes that are text in its body as text', async () => {
    const bodyOf = async (bytes: Buffer) => (await logOf({ body: { bytesValue: bytes.toString('base64') } }))?.body;
    expect(await bodyOf(Buffer.from('größer\n'))).toBe('größer\n');
    expect(await bodyOf(Buffer.from([0xff, 0xfe]))).toBe('//4=');
    expect(await bodyOf(Buffer.from([0x61, 0x00]))).toBe('YQA=');
  });

  it('has an id whose bytes are in base64', async () => {
    const ids = {
      traceId: Buffer.from(TRACE, 'hex').toString('base64'),
      spanId: Buffer.from(SPAN, 'hex').toString('base64'),
    };
    expect(await logOf(ids)).toMatchObject({ traceId: TRACE, spanId: SPAN });
  });

  it('has no id if the value is empty, zero, not hexadecimal or of another length', async () => {
    for (const traceId of ['', '0'.repeat(32), 'g'.repeat(32), TRACE.slice(2), `${TRACE}00`, 7, null, ['a']]) {
      expect(await logOf({ traceId, spanId: traceId })).toMatchObject({ traceId: '', spanId: '' });
    }
  });

  it('has enums by number or name, including unknown numbers', async () => {
    const severities = [
      17,
      '17',
      'SEVERITY_NUMBER_ERROR',
      'SEVERITY_NUMBER_FATAL4',
      99,
      -1,
      'LOUD',
      1.5,
      1e20,
      null,
      {},
    ];
    const { records } = await logsOf(logsRequest(severities.map((severityNumber) => ({ severityNumber }))));
    expect(records.map((record) => record.severityNumber)).toEqual([17, 17, 17, 24, 99, -1, 0, 0, 0, 0, 0]);
  });

  it('has exact times from text, and times from numbers with their precision', async () => {
    const times = [
      '18446744073709551615',
      '18446744073709551616',
      '-1',
      1700000000000,
      1.5,
      'soon',
      '1.7e18',
      true,
      null,
    ];
    const { records } = await logsOf(logsRequest(times.map((timeUnixNano) => ({ timeUnixNano }))));
    const expected = [18446744073709551615n, 0n, 0n, 1700000000000n, 0n, 0n, 1700000000000000000n, 0n, 0n];
    expect(records.map((record) => record.timeUnixNano)).toEqual(expected);
  });

  it('has exact integers, as text beyond 2^53', async () => {
    const values = [500, '500', '-9223372036854775808', '9007199254740991', '9007199254740992', 0, '-0'];
    const read = await bodiesOf(...values.map((intValue) => ({ intValue })));
    expect(read).toEqual([500, 500, '-9223372036854775808', 9007199254740991, '9007199254740992', 0, 0]);
  });

  it('keeps a value that is not an int64 as a number or text', async () => {
    const read = await bodiesOf(...[1e21, 1.5, '9223372036854775808', 'many', {}].map((intValue) => ({ intValue })));
    expect(read).toEqual(['1e+21', 1.5, '9223372036854775808', 'many', null]);
  });

  it('has doubles from numbers and text, and keeps text that is not a finite number', async () => {
    const values = [1.5, '1.5', '-2e3', 'NaN', 'Infinity', '-Infinity', '1e999', 'much', null, []];
    const read = await bodiesOf(...values.map((doubleValue) => ({ doubleValue })));
    expect(read).toEqual([1.5, 1.5, -2000, 'NaN', 'Infinity', '-Infinity', 'Infinity', 'much', null, null]);
  });

  it('has bytes from both forms of base64, padded or not, as standard base64', async () => {
    const read = await bodiesOf(...['AQID/w==', 'AQID_w', '-_8', '', 'a b', 5].map((bytesValue) => ({ bytesValue })));
    expect(read).toEqual(['AQID/w==', 'AQID/w==', '+/8=', '', null, null]);
  });

  it('treats null as unset everywhere', async () => {
    const names = ['timeUnixNano', 'severityText', 'body', 'attributes', 'flags', 'traceId', 'eventName'];
    expect(await logOf(Object.fromEntries(names.map((name) => [name, null])))).toEqual(await logOf({}));
    expect(await bodiesOf({}, null, { doubleValue: null }, { stringValue: null, intValue: 1 })).toEqual([
      null,
      null,
      null,
      1,
    ]);
    const lists = { resourceLogs: [null, { resource: null, scopeLogs: [null, { scope: null, logRecords: null }] }] };
    expect(await logsOf(lists)).toEqual({ records: [], bad: [], partSizes: [] });
  });

  it('keeps the last of several attributes with the same key, and ignores invalid attributes', async () => {
    const attributes = [
      { key: 'a', value: { intValue: 1 } },
      7,
      null,
      { key: 'a', value: { intValue: 2 } },
      { key: 'b' },
      { value: { boolValue: true } },
    ];
    expect([...(await logOf({ attributes })).attributes]).toEqual([
      ['a', 2],
      ['b', null],
      ['', true],
    ]);
    expect((await logOf({ attributes: { a: 1 } })).attributes.size).toBe(0);
  });

  it('may have keys that name a prototype', async () => {
    const key = '__proto__';
    const values = [{ key, value: { kvlistValue: { values: [{ key: 'polluted', value: { boolValue: true } }] } } }];
    const { body, attributes } = await logOf({ body: { kvlistValue: { values } }, attributes: values });
    expect(JSON.stringify(body)).toBe('{"__proto__":{"polluted":true}}');
    expect(JSON.stringify(attributes.get(key))).toBe('{"polluted":true}');
    expect('polluted' in {}).toBe(false);
  });

  it('may have any text: NUL, the empty text, and U+FFFD for half a surrogate pair', async () => {
    expect(await bodiesOf(...['\0', '\ud800', ''].map((stringValue) => ({ stringValue })))).toEqual([
      '\0',
      '\ufffd',
      '',
    ]);
  });

  it('ignores unknown fields and indexes of profiles', async () => {
    const record = {
      body: { stringValueStrindex: 3, other: {} },
      attributes: [{ keyStrindex: 1, value: {} }],
      next: [1],
    };
    expect(await logOf(record)).toMatchObject({ body: null, attributes: new Map([['', null]]) });
  });

  it('has null or text for a value of the wrong type', async () => {
    const scalars = [{ stringValue: 5 }, { stringValue: {} }, { boolValue: 'true' }, { boolValue: 1 }, 'text'];
    expect(await bodiesOf(...scalars)).toEqual(['5', null, true, null, null]);
    const lists = await bodiesOf({ arrayValue: 3 }, { kvlistValue: [] }, { kvlistValue: {} }, { arrayValue: {} });
    expect(JSON.stringify(lists)).toBe('[null,null,{},[]]');
  });
});

describe('a span in JSON', () => {
  it('has its events and status, without its links', async () => {
    const span = {
      traceId: TRACE,
      span_id: SPAN,
      parentSpanId: SPAN.toUpperCase(),
      trace_state: 'a=b',
      name: 'GET /',
      kind: 'SPAN_KIND_SERVER',
      startTimeUnixNano: '1',
      end_time_unix_nano: '2',
      attributes: [],
      events: [{ timeUnixNano: '3', name: 'exception', attributes: [{ key: 'a', value: { intValue: '1' } }] }, null, 5],
      links: [{ traceId: TRACE }],
      status: { code: 'STATUS_CODE_ERROR', message: 'boom' },
      flags: 257,
    };
    const { records } = await spansOf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    expect(records).toMatchObject([
      {
        traceId: TRACE,
        spanId: SPAN,
        parentSpanId: SPAN,
        traceState: 'a=b',
        name: 'GET /',
        kind: 2,
        startTimeUnixNano: 1n,
        endTimeUnixNano: 2n,
        events: [{ timeUnixNano: 3n, name: 'exception', attributes: new Map([['a', 1]]), droppedAttributesCount: 0 }],
        status: { code: 2, message: 'boom' },
        flags: 1,
      },
    ]);
  });
});
