import type { JsonObject } from '../../../../core/event/json.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { encodeByOracle } from '../../receivers/otlp/decode/oracle.js';
import { PROTOBUF_TYPE, running, send, startForEachTest } from '../../receivers/otlp/running-otlp.js';
import { attributeOf, recordsOf } from '../backend.js';
import { attributesOf, exported, plain } from './exported-records.js';
import { stopExporters } from './exporter-under-test.js';

afterEach(stopExporters);
afterAll(removeTemporaryFolders);

describe.each(['proto', 'json'])('an event as a log record in %s', (encoding) => {
  it('has the fields that the semantic conventions name, to the nanosecond', async () => {
    const request = await exported(encoding, { timestamp: '2026-11-20T10:11:12.123456789Z', level: 'critical' });
    const [resource] = request.resourceLogs;
    expect(attributesOf(resource?.resource)).toEqual({
      'service.name': 'api',
      'service.namespace': 'shop',
      'deployment.environment.name': 'production',
      'service.version': 'v1.4.2',
    });
    expect(resource?.scopeLogs[0]?.scope.name).toBe('faultline');
    const [record] = recordsOf(request);
    expect(record).toMatchObject({
      timeUnixNano: '1795169472123456789',
      observedTimeUnixNano: expect.stringMatching(/^1795255200\d{6}000$/),
      severityText: 'critical',
      body: { stringValue: 'quantity 12 of SKU-4711 exceeds the limit' },
      eventName: 'exception',
    });
    expect([21, 'SEVERITY_NUMBER_FATAL']).toContain(record?.severityNumber);
    expect(attributesOf(record)).toEqual({
      'log.record.uid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'exception.type': 'ValidationError',
      'exception.message': 'quantity 12 of SKU-4711 exceeds the limit',
      'exception.stacktrace': expect.stringContaining('validate-line.js:41:9'),
      'http.request.method': 'PUT',
      'http.route': '/api/v1/cart/lines',
      'http.response.status_code': 422n,
      request_id: 'req-1',
      'user.id': 'u-7',
      'faultline.fingerprint': expect.stringMatching(/^[0-9a-f]{32}$/),
      'faultline.issue_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'faultline.hops': 1n,
      'faultline.fields': { level: 'critical' },
      'faultline.tags': { region: '', attempt: '' },
      'faultline.extra': { cart: '' },
      region: 'eu-west',
      attempt: '2',
      cart: { lines: 3n },
    });
  });

  it('keeps types, names that are in use, and text that is not valid Unicode', async () => {
    const extra: JsonObject = {
      whole: 12,
      large: 2 ** 60,
      half: 0.5,
      negative: -7,
      yes: true,
      nothing: null,
      list: [1, 'two', [3]],
      'user.id': 'another user',
      '': 'no name',
      broken: 'half \ud800 pair',
      faultline: { sampled: 41, cuts: [] },
    };
    const [record] = recordsOf(await exported(encoding, { extra, tags: { 'exception.type': 'x', region: 'y' } }));
    expect(attributesOf(record)).toMatchObject({
      whole: 12n,
      large: 2 ** 60,
      half: 0.5,
      negative: -7n,
      yes: true,
      list: [1n, 'two', [3n]],
      'user.id': 'u-7',
      'extra.user.id': 'another user',
      'extra.': 'no name',
      broken: 'half \ufffd pair',
      'exception.type': 'ValidationError',
      'tag.exception.type': 'x',
      region: 'y',
      'faultline.sampled': 41n,
      'faultline.notes': { cuts: [] },
    });
    expect(record && attributeOf(record, 'nothing')).toEqual({});
  });

  it('omits attributes for missing fields', async () => {
    const bare = {
      error_name: '',
      stack: null,
      method: null,
      route: '',
      status_code: null,
      release: null,
      request_id: null,
      user_id: null,
      tags: {},
      extra: null,
      level: 'odd',
      timestamp: '1850-01-01T00:00:00Z',
    };
    const request = await exported(encoding, bare);
    const [record] = recordsOf(request);
    expect(Object.keys(attributesOf(record)).sort()).toEqual([
      'faultline.fields',
      'faultline.fingerprint',
      'faultline.hops',
      'faultline.issue_id',
      'log.record.uid',
    ]);
    expect(Object.keys(attributesOf(request.resourceLogs[0]?.resource))).not.toContain('service.version');
    expect(record?.eventName ?? '').toBe('');
    expect(record?.timeUnixNano ?? '0').toBe('0');
    expect([undefined, 0, 'SEVERITY_NUMBER_UNSPECIFIED']).toContain(record?.severityNumber);
  });

  it('restores events that arrived by OTLP', async () => {
    const extra: JsonObject = {
      otlp: {
        resource: { attributes: { 'k8s.pod.name': 'api-1' } },
        scope: { name: 'my.lib', version: '1.0.0' },
        attributes: { 'db.system': 'postgres' },
        body: { code: 7 },
        event_name: 'db.client.operation.exception',
        severity_number: 18,
        severity_text: 'ERR2',
        flags: 1,
      },
    };
    const tags = {
      trace_id: '5b8efff798038103d269b633813fc60c',
      span_id: 'eee19b7ec3c1b174',
      'otel.scope.name': 'my.lib',
    };
    const request = await exported(encoding, { extra, tags, level: 'error' });
    const [record] = recordsOf(request);
    expect(record).toMatchObject({
      traceId: tags.trace_id,
      spanId: tags.span_id,
      flags: 1,
      severityText: 'ERR2',
      eventName: 'db.client.operation.exception',
    });
    expect([18, 'SEVERITY_NUMBER_ERROR2']).toContain(record?.severityNumber);
    expect(plain(record?.body)).toEqual({ code: 7n });
    expect(attributesOf(record)).toMatchObject({ 'db.system': 'postgres' });
    expect(attributesOf(record)).not.toHaveProperty(['otel.scope.name']);
    expect(attributesOf(request.resourceLogs[0]?.resource)).toMatchObject({ 'k8s.pod.name': 'api-1' });
    expect(request.resourceLogs[0]?.scopeLogs[0]?.scope.name).toBe('my.lib');
  });

  it('is grouped under the resource that it shares with others', async () => {
    const request = await exported(encoding, { message: '1' }, { message: '2', service: 'web' }, { message: '3' });
    const services = request.resourceLogs.map(({ resource }) => plain(attributeOf(resource, 'service.name')));
    expect(services).toEqual(['api', 'web']);
    expect(recordsOf(request)).toHaveLength(3);
  });
});

describe('a receiver of OTLP', () => {
  startForEachTest();

  it('stores a record that is sent again with its id only once, in any encoding', async () => {
    const request = await exported('json', { message: '1' }, { message: '2' });
    expect((await send(JSON.stringify(request))).status).toBe(200);
    expect((await send(encodeByOracle('logs', request), PROTOBUF_TYPE)).status).toBe(200);
    expect(running.payloads().map(({ message }) => message)).toEqual(['1', '2']);
    expect(running.account()).toMatchObject({ stored: 2, filtered: 2, reasons: { OTLP_DUPLICATE: 2 } });
  });
});
