import { startNeedsOf } from '../../../collector/service/start-needs.js';
import { loadConfigSchema } from '../../../config/default-config.js';
import { loadConfig } from '../../../config/load-config.js';
import { dottedKey } from '../../../config/yaml/config-node.js';

/** The needs of a configuration as `kind key`. */
function needsOf(text: string): string[] {
  const { settings } = loadConfig({ files: [{ name: 'test.yaml', text }], sets: [], env: {} });
  return startNeedsOf(settings, loadConfigSchema()).map(({ kind, path }) => `${kind} ${dottedKey(path)}`);
}

describe('startNeedsOf', () => {
  it('lists every endpoint, folder and file of the running components, with its key', () => {
    const text = `
receivers:
  events: { endpoint: "127.0.0.1:5318", tls: { cert_file: s.pem, key_file: k.pem, client_ca_file: ca.pem } }
  otlp: { protocols: { grpc: } }
  file_log: { include: [a.log, b.log], storage: { directory: ./checkpoints } }
exporters:
  store: { directory: ./data }
  otlp_http: { endpoint: "https://otel.example.com", tls: { ca_file: ca.pem } }
extensions:
  query:
  bearertokenauth: { filename: tokens.txt }
service:
  extensions: [query, bearertokenauth]
  pipelines: { events: { receivers: [events, otlp, file_log], exporters: [store, otlp_http] } }
`;
    expect(needsOf(text)).toEqual([
      'port receivers.events.endpoint',
      'certificates receivers.events.tls.cert_file',
      'private_key receivers.events.tls.key_file',
      'certificates receivers.events.tls.client_ca_file',
      'port receivers.otlp.protocols.grpc.endpoint',
      'files receivers.file_log.include[0]',
      'files receivers.file_log.include[1]',
      'folder receivers.file_log.storage.directory',
      'data_folder exporters.store.directory',
      'port extensions.query.endpoint',
      'tokens extensions.bearertokenauth.filename',
      'port service.telemetry.metrics.address',
    ]);
  });

  it('leaves out components that do not run, repeated needs and port 0', () => {
    const text = `
receivers: { events: , sentry: , events/idle: { endpoint: ":1" }, otlp: { protocols: { http: { endpoint: "localhost:0" } } } }
exporters: { store: , store/idle: { directory: ./elsewhere } }
extensions: { query: , health_check: }
service:
  pipelines: { events: { receivers: [events, sentry, otlp], exporters: [store] } }
  telemetry: { metrics: { level: none } }
`;
    expect(needsOf(text)).toEqual(['port receivers.events.endpoint', 'data_folder exporters.store.directory']);
  });
});
