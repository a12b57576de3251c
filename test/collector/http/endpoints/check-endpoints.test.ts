import { checkEndpoints, checkEndpointsTogether } from '../../../../collector/http/endpoints/check-endpoints.js';
import { settingsFor } from '../../running-service.js';
import { tlsFile } from '../tls-connection.js';

function faultsFor(...sets: string[]): string[] {
  const settings = settingsFor('/data', ...sets);
  return [...checkEndpoints(settings), ...checkEndpointsTogether(settings)].map(({ path }) => path.join('.'));
}
const at = (host: string) => `receivers.events.endpoint="${host}:4318"`;
const withAuth = ['extensions.bearertokenauth.token=0123456789abcdef', 'service.extensions=[query, bearertokenauth]'];
const tls = (section: string, name = 'server') => [
  `${section}.tls.cert_file=${tlsFile(`${name}.pem`)}`,
  `${section}.tls.key_file=${tlsFile(`${name}-key.pem`)}`,
];

describe('an endpoint that other machines can reach', () => {
  it.each(['', '0.0.0.0', '[::]', '192.168.1.7', '[fe80::1]', 'collector.internal', 'localhost.example', '128.0.0.1'])(
    'on "%s" is refused without a token, and the message names both ways to fix it',
    (host) => {
      const [fault] = checkEndpoints(settingsFor('/data', at(host)));
      expect(fault?.path).toEqual(['receivers', 'events', 'endpoint']);
      expect(fault?.message).toMatch(/auth\.authenticator.*allow_without_token: true/);
    },
  );

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '[::1]', '[::ffff:127.0.0.1]'])(
    'is not one on %s',
    (host) => {
      expect(faultsFor(at(host))).toEqual([]);
    },
  );

  it('is accepted with a token, with client certificates, or if it is explicitly open', () => {
    expect(faultsFor(at('0.0.0.0'), ...withAuth, 'receivers.events.auth.authenticator=bearertokenauth')).toEqual([]);
    expect(faultsFor(at('0.0.0.0'), 'receivers.events.allow_without_token=true')).toEqual([]);
    const mutual = [...tls('receivers.events'), `receivers.events.tls.client_ca_file=${tlsFile('ca.pem')}`];
    expect(faultsFor(at('0.0.0.0'), ...mutual)).toEqual([]);
    // A server certificate alone admits every client.
    expect(faultsFor(at('0.0.0.0'), ...tls('receivers.events'))).toEqual(['receivers.events.endpoint']);
  });

  it('of Sentry is accepted if all of its projects have a key', () => {
    const sentry = ['service.pipelines.events.receivers=[sentry]', 'receivers.sentry.endpoint=0.0.0.0:4318'];
    const keyed = 'receivers.sentry.projects={"1": {public_key: abc}}';
    expect(faultsFor(...sentry)).toEqual(['receivers.sentry.endpoint']);
    expect(faultsFor(...sentry, keyed)).toEqual([]);
    expect(faultsFor(...sentry, 'receivers.sentry.projects={"1": {public_key: abc}, "2": {}}')).toEqual([
      'receivers.sentry.endpoint',
    ]);
  });

  it('is refused in every protocol and in the reading API, where tokens for actions alone are not enough', () => {
    const everywhere = [
      'service.pipelines.events.receivers=[otlp]',
      'receivers.otlp.protocols.http.endpoint=0.0.0.0:4318',
      'receivers.otlp.protocols.grpc.endpoint=0.0.0.0:4317',
      'extensions.query.endpoint=0.0.0.0:4319',
      'extensions.query.actions_auth.authenticator=bearertokenauth',
    ];
    expect(faultsFor(...everywhere, ...withAuth)).toEqual([
      'receivers.otlp.protocols.http.endpoint',
      'receivers.otlp.protocols.grpc.endpoint',
      'extensions.query.endpoint',
    ]);
  });

  it('is ignored if the service does not run the component, and allowed for the health check', () => {
    const unused = ['receivers.sentry.endpoint=0.0.0.0:4318', 'extensions.health_check.endpoint=0.0.0.0:13133'];
    expect(faultsFor(...unused, 'service.extensions=[query, health_check]')).toEqual([]);
  });
});

describe('components of one endpoint', () => {
  const shared = ['service.pipelines.events.receivers=[events, sentry]', 'receivers.events.endpoint=localhost:4318'];

  it('are refused if they differ in tls or connections, and accepted if they do not', () => {
    expect(faultsFor(...shared)).toEqual([]);
    expect(faultsFor(...shared, ...tls('receivers.sentry'))).toEqual(['receivers.sentry.tls']);
    expect(faultsFor(...shared, ...tls('receivers.sentry'), ...tls('receivers.events'))).toEqual([]);
    expect(faultsFor(...shared, 'receivers.sentry.connections.max_connections=7')).toEqual([
      'receivers.sentry.connections',
    ]);
    const [fault] = checkEndpointsTogether(settingsFor('/data', ...shared, ...tls('receivers.sentry')));
    expect(fault?.message).toMatch(/sentry shares the endpoint localhost:4318 with events.*tls/);
  });
});
