import { childEnvironment } from '../../../collector/run/child-environment.js';
import type { RunSource } from '../../../collector/run/run-source.js';

const source: RunSource = {
  command: ['node', 'till.js'],
  program: 'till',
  cwd: '/srv',
  overrides: { app: 'shop & co', env: 'test', release: 'v1,2=3' },
  defaults: { app: 'till', service: 'till', env: 'development' },
};
const endpoints = {
  url: 'http://localhost:4318',
  otlpUrl: 'http://localhost:4320',
  sentryDsn: 'http://0123456789abcdef0123456789abcdef@localhost:4318/1',
};

describe('the environment of a program', () => {
  it('sets the endpoints of the collector and the names of the program for OpenTelemetry and Sentry', () => {
    expect(childEnvironment({ PATH: '/bin' }, endpoints, source)).toEqual({
      PATH: '/bin',
      FAULTLINE_URL: 'http://localhost:4318',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4320',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_SERVICE_NAME: 'till',
      OTEL_RESOURCE_ATTRIBUTES:
        'service.namespace=shop%20%26%20co,deployment.environment.name=test,service.version=v1%2C2%3D3',
      SENTRY_DSN: 'http://0123456789abcdef0123456789abcdef@localhost:4318/1',
      SENTRY_ENVIRONMENT: 'test',
      SENTRY_RELEASE: 'v1,2=3',
    });
  });

  it('keeps variables that are already set, and their protocol and names', () => {
    const own = {
      FAULTLINE_URL: 'http://other',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4317',
      OTEL_SERVICE_NAME: 'mine',
      SENTRY_DSN: '',
    };
    const env = childEnvironment(own, endpoints, source);
    expect(env).toMatchObject(own);
    expect(Object.keys(env).sort()).toEqual([...Object.keys(own), 'OTEL_RESOURCE_ATTRIBUTES'].sort());
  });

  it('leaves metrics on for a program that sends them elsewhere, or names their exporter', () => {
    const elsewhere = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://prometheus:9090/otlp' };
    expect(childEnvironment(elsewhere, endpoints, source)).not.toHaveProperty('OTEL_METRICS_EXPORTER');
    const named = childEnvironment({ OTEL_METRICS_EXPORTER: 'console' }, endpoints, source);
    expect(named).toHaveProperty('OTEL_METRICS_EXPORTER', 'console');
  });

  it('sets only the protocols that the collector accepts, and nothing without a collector', () => {
    expect(childEnvironment({}, { url: 'http://localhost:4318' }, source)).toEqual({
      FAULTLINE_URL: 'http://localhost:4318',
    });
    expect(childEnvironment({ A: 'b' }, undefined, source)).toEqual({ A: 'b' });
  });
});
