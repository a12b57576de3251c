import fc from 'fast-check';
import { mapSentryLog, sentryLogLevel } from '../../../../../collector/receivers/sentry/mapping/map-log.js';
import type { JsonObject } from '../../../../../core/event/json.js';
import { levelSeverity } from '../../../../../core/event/level.js';
import { RAW_PAYLOAD_KEYS } from '../../../../../core/event/raw-payload.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { accepted, contextOf, mappedLog } from './mapped.js';

const entry: JsonObject = {
  timestamp: 1795255200.25,
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  span_id: 'b7ad6b7169203331',
  level: 'error',
  body: 'order 42 of ann failed',
  severity_number: 17,
  attributes: {
    'sentry.message.template': { value: 'order %s of %s failed', type: 'string' },
    'sentry.message.parameter.0': { value: 42, type: 'integer' },
    'sentry.environment': { value: 'staging', type: 'string' },
    'sentry.release': { value: '1.4.2', type: 'string' },
    'sentry.sdk.name': { value: 'sentry.javascript.node', type: 'string' },
    'server.address': { value: 'web-1', type: 'string' },
    'user.id': { value: 7, type: 'integer' },
    'http.response.status_code': { value: 503, type: 'integer' },
    'http.request.method': { value: 'post', type: 'string' },
    'http.route': { value: '/orders/:id', type: 'string' },
    'service.name': { value: 'orders', type: 'string' },
    'service.namespace': { value: 'shop', type: 'string' },
    'exception.type': { value: 'OrderError', type: 'string' },
    'exception.stacktrace': { value: ' at place (orders.js:1:2)', type: 'string' },
    tenant: { value: 'acme', type: 'string' },
  },
};

describe('a Sentry log entry', () => {
  it('has the names of events of its DSN: a service tag, the settings, then the package of the release', () => {
    const of = (release: string) => ({ ...entry, attributes: { 'sentry.release': { value: release } } });
    expect(mappedLog(of('shop@1.2.3'))).toMatchObject({ app: 'shop', service: 'shop', release: 'shop@1.2.3' });
    expect(mappedLog(of('1.2.3'))).toMatchObject({ app: 'project-42', service: 'project-42' });
    const project = { id: '42', app: 'set', env: 'dev' };
    expect(mappedLog(of('shop@1.2.3'), { project })).toMatchObject({ app: 'set', service: 'set' });
  });

  it('is a payload with every attribute in a field or in extra', () => {
    expect(mappedLog(entry)).toEqual({
      app: 'shop',
      env: 'staging',
      error_name: 'OrderError',
      extra: {
        'server.address': 'web-1',
        'user.id': 7,
        'http.response.status_code': 503,
        'http.request.method': 'post',
        'http.route': '/orders/:id',
        'service.name': 'orders',
        'service.namespace': 'shop',
        'exception.type': 'OrderError',
        tenant: 'acme',
        sentry: {
          timestamp: 1795255200.25,
          trace_id: '0af7651916cd43dd8448eb211c80319c',
          span_id: 'b7ad6b7169203331',
          severity_number: 17,
          attributes: {
            'sentry.message.template': 'order %s of %s failed',
            'sentry.message.parameter.0': 42,
            'sentry.sdk.name': 'sentry.javascript.node',
          },
          mapping: { project_id: '42', message_template: 'order %s of %s failed', request_id_from: 'trace_id' },
        },
      },
      level: 'error',
      message: 'order 42 of ann failed',
      method: 'POST',
      release: '1.4.2',
      request_id: '0af7651916cd43dd8448eb211c80319c',
      route: '/orders/:id',
      service: 'orders',
      session_id: null,
      stack: ' at place (orders.js:1:2)',
      status_code: 503,
      tags: { server_name: 'web-1', sdk: 'sentry.javascript.node' },
      timestamp: '2026-11-21T10:00:00.250Z',
      user_id: '7',
    });
  });

  it('is grouped by its template for any parameters', () => {
    const of = (body: string) => computeFingerprint(mappedLog({ ...entry, body })).value;
    expect(of('order 42 of ann failed')).toBe(of('order 7 of bo failed'));
  });

  it('has no template without parameters, because SDKs send the finished text as template', () => {
    const attributes = { 'sentry.message.template': { value: 'job 17 failed', type: 'string' } };
    const { basis } = computeFingerprint(mappedLog({ body: 'job 17 failed', attributes }));
    expect(basis.parts.find((part) => part.part === 'message')?.value).toBe('job <n> failed');
  });

  it.each<[JsonObject, string]>([
    [{ level: 'fatal', severity_number: 1 }, 'fatal'],
    [{ level: 'warning' }, 'warning'],
    [{ severity_number: 1 }, 'trace'],
    [{ severity_number: 8 }, 'debug'],
    [{ severity_number: 12 }, 'info'],
    [{ severity_number: 13 }, 'warn'],
    [{ level: 'odd', severity_number: 17 }, 'error'],
    [{ severity_number: 24 }, 'fatal'],
    [{ severity_number: 25 }, 'info'],
    [{ severity_number: 0 }, 'info'],
    [{ attributes: { 'sentry.severity_number': { value: 17, type: 'integer' } } }, 'error'],
    [{ attributes: { 'sentry.severity_text': 'warn' } }, 'warn'],
    [{}, 'info'],
  ])('has the level of %j', (sent, level) => {
    expect(sentryLogLevel(sent)).toBe(level);
  });

  it('has the names of the project first', () => {
    const project = { id: '42', app: 'set', service: 'set-service', env: 'dev' };
    expect(mappedLog(entry, { project })).toMatchObject({ app: 'set', service: 'orders', env: 'staging' });
    expect(mappedLog({}, { project })).toMatchObject({ app: 'set', service: 'set-service', env: 'dev', level: 'info' });
  });

  it('always maps to a payload that the intake accepts', () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonObject[string]>;
    const names = fc.constantFrom(...Object.keys(entry), '__proto__', 'mapping');
    const attributes = fc.dictionary(fc.constantFrom('sentry.release', 'user.id', 'sentry', '__proto__', 'a'), json);
    fc.assert(
      fc.property(fc.dictionary(names, fc.oneof(json, attributes)), (sent) => {
        const candidate = mapSentryLog(sent, contextOf());
        expect(Object.keys(candidate).sort()).toEqual(RAW_PAYLOAD_KEYS);
        expect(computeFingerprint(accepted(candidate)).value).toHaveLength(32);
        expect(levelSeverity(sentryLogLevel(sent))).toBeGreaterThan(0);
      }),
    );
  });
});
