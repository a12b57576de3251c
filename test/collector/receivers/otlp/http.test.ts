import { gzipSync } from 'node:zlib';
import { Fault } from '../../../../core/event/fault.js';
import { openRawConnection } from '../../raw-connection.js';
import { logJson, logProtobuf, logsBody, spanJson, tracesBody } from './bodies.js';
import { encodeByOracle } from './decode/oracle.js';
import { bytesField } from './decode/wire.js';
import { JSON_TYPE, PROTOBUF_TYPE, restart, running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

describe('a full success', () => {
  it('is 200 with {} in JSON and no bytes in protobuf', async () => {
    expect(await send(logsBody(logJson()))).toMatchObject({ status: 200, type: 'application/json', text: '{}' });
    const binary = await send(logProtobuf('cart failed'), PROTOBUF_TYPE);
    expect(binary).toMatchObject({ status: 200, type: 'application/x-protobuf', text: '' });
    expect(await send(tracesBody(spanJson()), JSON_TYPE, { path: '/v1/traces' })).toMatchObject({
      status: 200,
      text: '{}',
    });
    expect(running.payloads().map(({ message }) => message)).toEqual(['boom', 'cart failed']);
  });

  it('does not depend on the case or the parameters of the content type', async () => {
    for (const type of ['APPLICATION/JSON', 'application/json; charset=utf-8']) {
      expect((await send(logsBody(logJson()), { 'content-type': type })).status).toBe(200);
    }
  });

  it('is also the response to requests without records', async () => {
    const empty = ['{}', '{"resourceLogs":[]}', '{"resourceLogs":[{"scopeLogs":[]}]}'];
    for (const body of empty) expect(await send(body)).toMatchObject({ status: 200, text: '{}' });
    expect(await send(Buffer.alloc(0), PROTOBUF_TYPE)).toMatchObject({ status: 200, text: '' });
    expect(running.account()?.received).toBe(0);
  });

  it('is also the response to compressed bodies of unknown length', async () => {
    const packed = gzipSync(logsBody(logJson()));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(packed.subarray(0, 20));
        controller.enqueue(packed.subarray(20));
        controller.close();
      },
    });
    const init = { method: 'POST', body, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, duplex: 'half' };
    expect((await fetch(`${running.httpUrl}/v1/logs`, init as RequestInit)).status).toBe(200);
    expect(running.payloads()).toHaveLength(1);
  });

  it('is returned at the configured paths, and 404 at all others', async () => {
    await restart({ http: { logs_url_path: '/logs' } });
    expect((await send(logsBody(logJson()), JSON_TYPE, { path: '/logs' })).status).toBe(200);
    for (const path of ['/v1/logs', '/v1/other']) expect((await send('{}', JSON_TYPE, { path })).status).toBe(404);
  });
});

describe('a path', () => {
  it.each(['/v1/traces', '/v1/traces/', '//v1/traces', '/v1//traces', '//v1//traces//?a=//'])(
    'is taken with slashes too many: %s',
    async (path) => {
      expect((await send(tracesBody(spanJson()), JSON_TYPE, { path })).status).toBe(200);
      expect(running.account()?.received).toBe(1);
    },
  );

  it('is taken without the slash at the end of the configured one', async () => {
    await restart({ http: { logs_url_path: '/own/logs/' } });
    for (const path of ['/own/logs/', '/own/logs', '//own/logs//']) {
      expect((await send(logsBody(logJson()), JSON_TYPE, { path })).status).toBe(200);
    }
  });
});

describe('a partial success', () => {
  it('has the number of records that could not be decoded and the reason', async () => {
    const bad = logJson({}, { timeUnixNano: { not: 'a time' } });
    const { status, text } = await send(logsBody(logJson(), 7, bad));
    const { rejected, received, reasons } = running.account() ?? {};
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: expect.stringMatching(/\S/) },
    });
    expect(rejected).toBeGreaterThan(0);
    expect(reasons).toEqual({ OTLP_RECORD_INVALID: rejected });
    expect(received).toBe(3);
    const letters = running.consumer.batches.flatMap((batch) => batch.rejected ?? []);
    expect(letters).toHaveLength(rejected ?? -1);
    expect(letters[0]).toMatchObject({ code: 'OTLP_RECORD_INVALID' });
  });
});

describe('a refusal', () => {
  it('of another method is 405 with a Status', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await send(undefined, {}, { method });
      expect(reply).toMatchObject({ status: 405, type: 'application/json' });
      expect(JSON.parse(reply.text)).toEqual({ code: 3, message: `${method} is not allowed here; use POST` });
      expect(reply.headers.get('allow')).toBe('POST');
    }
  });

  it('of another content type is 415 with a Status', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': '' }]) {
      const reply = await send('{}', headers);
      expect(reply).toMatchObject({ status: 415, type: 'application/json' });
      expect(JSON.parse(reply.text)).toEqual({ code: 3, message: expect.stringContaining('application/x-protobuf') });
    }
  });

  it('of a body that is not OTLP is 400 with a Status in the encoding of the request', async () => {
    const json = await send('{"resourceLogs":');
    expect(json).toMatchObject({ status: 400, type: 'application/json' });
    expect(JSON.parse(json.text)).toEqual({ code: 3, message: expect.stringContaining('OTLP') });
    const binary = await send(Buffer.from([0x0a, 0xff]), PROTOBUF_TYPE);
    expect(binary).toMatchObject({ status: 400, type: 'application/x-protobuf' });
    expect(binary.bytes.subarray(0, 3)).toEqual(Buffer.from([0x08, 0x03, 0x12]));
    expect(running.account()?.reasons).toEqual({ OTLP_INVALID: 2 });
    expect(running.consumer.batches.flatMap((batch) => batch.rejected ?? [])).toMatchObject([
      { code: 'OTLP_INVALID', bytes: 16 },
      { code: 'OTLP_INVALID', bytes: 2 },
    ]);
  });

  const logs = logsBody(logJson());
  const traces = tracesBody(spanJson({}, { startTimeUnixNano: '1', endTimeUnixNano: '2' }));
  const metric = bytesField(1, bytesField(2, bytesField(2, bytesField(1, 'requests'), bytesField(7, ''))));
  const metrics = '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"requests"}]}]}]}';
  it.each<[string, string, string | Buffer, string]>([
    ['/v1/logs', 'traces in JSON', traces, 'send traces to their own path, by default /v1/traces'],
    ['/v1/logs', 'traces in protobuf', encodeByOracle('traces', JSON.parse(traces)), 'by default /v1/traces'],
    ['/v1/traces', 'logs in JSON', logs, 'by default /v1/logs'],
    ['/v1/traces', 'logs in protobuf', encodeByOracle('logs', JSON.parse(logs)), 'by default /v1/logs'],
    ['/v1/logs', 'metrics in JSON', metrics, 'by default /v1/metrics'],
    ['/v1/logs', 'metrics in protobuf', metric, 'by default /v1/metrics'],
    ['/v1/traces', 'metrics in JSON', metrics, 'by default /v1/metrics'],
    ['/v1/traces', 'metrics in protobuf', metric, 'by default /v1/metrics'],
    ['/v1/logs', 'names with underscores', '{"resource_spans":[]}', 'it has resource_spans: send traces'],
    ['/v1/logs', 'scopes of traces', '{"resourceLogs":[{"scopeSpans":[]}]}', 'resourceLogs[0] has scopeSpans'],
    ['/v1/traces', 'log records', '{"resourceSpans":[{"scopeSpans":[{"logRecords":[]}]}]}', 'has logRecords'],
    ['/v1/traces', 'an old list', '{"resourceSpans":[{"instrumentationLibrarySpans":[]}]}', 'has no scopeSpans, but'],
    ['/v1/logs', 'another object', '{"message":"boom"}', 'it has no resourceLogs, but "message"'],
  ])('at %s of %s is 400, counted and kept', async (path, _what, body, message) => {
    const reply = await send(body, typeof body === 'string' ? JSON_TYPE : PROTOBUF_TYPE, { path });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(JSON.stringify(message).slice(1, -1))]);
    expect(running.account()).toMatchObject({ received: 1, rejected: 1, reasons: { OTLP_INVALID: 1 } });
    const [letter] = running.consumer.batches.flatMap((batch) => batch.rejected ?? []);
    expect(letter?.received).toEqual(Buffer.from(body));
  });

  it('of unknown members does not happen beside known ones', async () => {
    const records = [{ ...logJson(), aNewField: { spans: [1] } }];
    const scopes = [{ scope: {}, scopeSpans: [], aNewField: 1, logRecords: records }];
    const body = { aNewField: [1], resourceSpans: [], resourceLogs: [{ aNewField: null, scopeLogs: scopes }] };
    expect((await send(JSON.stringify(body))).status).toBe(200);
    expect(running.payloads()).toHaveLength(1);
  });

  it('of invalid gzip is 400 with that reason', async () => {
    const { status, text } = await send('{}', { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect([status, JSON.parse(text)]).toEqual([400, { code: 3, message: 'gzip: invalid header' }]);
    const cut = await send(gzipSync(logsBody(logJson())).subarray(0, 40), { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect([cut.status, JSON.parse(cut.text).code]).toEqual([400, 3]);
  });

  it('of an unknown compression is 415', async () => {
    const { status, headers, text } = await send('{}', { ...JSON_TYPE, 'content-encoding': 'lz4' });
    expect([status, JSON.parse(text).code]).toEqual([415, 3]);
    expect(headers.get('accept-encoding')).toContain('zstd, snappy');
    const binary = await send('{}', { ...PROTOBUF_TYPE, 'content-encoding': 'lz4' });
    expect([binary.type, binary.bytes[0], binary.bytes[1]]).toEqual(['application/x-protobuf', 0x08, 0x03]);
    const [refused] = running.meters.samples('faultline_receiver_unsupported_encodings');
    expect(refused).toMatchObject({ labels: { receiver: 'otlp' }, value: 2 });
  });

  it('of a body that is too large, even if only after decompression, is 413', async () => {
    await restart({ http: { max_request_body_size: '1KiB' } });
    const large = logsBody(logJson({ 'exception.message': 'x'.repeat(2_000) }));
    for (const [body, headers] of [
      [large, JSON_TYPE],
      [gzipSync(large), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
    ] as const) {
      const { status, text } = await send(body, headers);
      expect([status, JSON.parse(text).code]).toEqual([413, 8]);
    }
    expect(running.account()).toMatchObject({ rejected: 2, reasons: { BODY_TOO_LARGE: 2 } });
  });

  it('by the store is 503 with a Retry-After of one second', async () => {
    running.consumer.before = () => {
      throw new Fault('STORE_FULL', 'the disk is full', { retryable: true });
    };
    const { status, headers, text } = await send(logsBody(logJson()));
    expect([status, headers.get('retry-after'), JSON.parse(text)]).toEqual([
      503,
      '1',
      { code: 14, message: 'the disk is full' },
    ]);
    expect(running.account()).toMatchObject({ received: 1, refused: 1 });
  });

  it('of a host that is not served is also a Status', async () => {
    const connection = await openRawConnection(Number(new URL(running.httpUrl).port));
    connection.write(
      'POST /v1/logs HTTP/1.1\r\nhost: evil.example.com\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
    expect(await connection.receive(/}$/)).toMatch(/^HTTP\/1\.1 403[\s\S]*"code":7/);
  });
});

describe('pages', () => {
  const origin = 'https://shop.example.com';

  it('of an allowed origin may send, with the headers of their SDK', async () => {
    await restart({
      http: { cors: { allowed_origins: ['https://*.example.com'], allowed_headers: ['x-own'], max_age: '2h' } },
    });
    const asked = await send(undefined, { origin, 'access-control-request-method': 'POST' }, { method: 'OPTIONS' });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    const allowed = asked.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['content-type', 'traceparent', 'tracestate', 'authorization', 'x-own']),
    );
    const sent = await send(logsBody(logJson()), { ...JSON_TYPE, origin });
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });

  it('of any other origin may not send', async () => {
    const { status, text } = await send(logsBody(logJson()), { ...JSON_TYPE, origin });
    expect([status, JSON.parse(text).code]).toEqual([403, 7]);
    expect(running.payloads()).toEqual([]);
  });
});
