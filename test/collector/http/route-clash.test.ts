import { pino } from 'pino';
import { checkEndpointsTogether } from '../../../collector/http/endpoints/check-endpoints.js';
import {
  areClashing,
  comparedPath,
  literalPath,
  pathBelow,
  type ServedPath,
} from '../../../collector/http/endpoints/served-path.js';
import { Service } from '../../../collector/service/service.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { settingsFor } from '../running-service.js';

afterAll(removeTemporaryFolders);

const post = (path: string | RegExp): ServedPath => ({ method: 'POST', path });
const ENDPOINT = '127.0.0.1:0';
const on = (...receivers: string[]) => `service.pipelines.events.receivers=[${receivers.join(', ')}]`;
const OTLP = `receivers.otlp.protocols.http.endpoint=${ENDPOINT}`;
const SENTRY = `receivers.sentry.endpoint=${ENDPOINT}`;

const below = (prefix: string): ServedPath => ({ method: '*', path: pathBelow(prefix) });

describe('two routes', () => {
  it.each<[ServedPath, ServedPath, boolean]>([
    [post('/a'), post('/a'), true],
    [post('/a'), post('/b'), false],
    [post('/a'), { method: 'GET', path: '/a' }, false],
    [post('/a'), { method: '*', path: '/a' }, true],
    [post(/^\/a\/\d$/), post('/a/7'), true],
    [post(/^\/a\/\d$/), post('/a/b'), false],
    [post(/^\/a$/), post(/^\/a$/), true],
    [below('/a'), below('/a'), true],
    [below('/a'), below('/b'), false],
    [below('/a'), post('/a'), true],
    [below('/a'), post('/a/b'), true],
    [below('/a'), post('/ab'), false],
    [below('/a'), post(/^\/a\/\d$/), false],
    [post('/a/:id'), post('/a/7'), true],
    [post('/a/:id'), post('/a/7/b'), false],
    [post('/a/:id'), post('/A/7'), false],
    [post('/a'), post('/A/'), false],
    [{ ...post('/a'), isLoose: true }, post('/A/'), true],
    [{ ...post('/A/'), isLoose: true }, post('/a'), true],
    [{ ...post('/a/:id'), isLoose: true }, post('/A/7'), true],
    [post('/a/:id'), below('/a'), true],
    [post('/*all'), below('/a'), false],
    [post('/a/:id'), post(literalPath('/a/:id')), true],
    [post('/a/b'), post(literalPath('/a/:id')), false],
    [post('/a/:id{/}'), post('/a/7/'), true],
  ])('%j and %j clash: %s', (one, other, isClash) => {
    const [first, second] = [comparedPath(one), comparedPath(other)];
    expect([areClashing(first, second), areClashing(second, first)]).toEqual([isClash, isClash]);
  });
});

describe('components that serve the same route on one endpoint', () => {
  it.each([
    [on('events', 'events/b'), `receivers.events/b.endpoint=${ENDPOINT}`],
    [on('events', 'otlp'), OTLP, 'receivers.otlp.protocols.http.logs_url_path=/v1/events'],
    [on('events', 'sentry'), SENTRY, 'receivers.sentry.tunnel_path=/v1/events'],
    [on('sentry', 'sentry/b'), SENTRY, `receivers.sentry/b.endpoint=${ENDPOINT}`],
    [
      on('otlp'),
      OTLP,
      `extensions.query.endpoint=${ENDPOINT}`,
      'receivers.otlp.protocols.http.logs_url_path=/api/v1/logs',
    ],
  ])('are refused by the configuration check and at the start: %s', async (...sets) => {
    const settings = settingsFor(
      await temporaryFolder(),
      ...sets,
      'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
    );
    expect(checkEndpointsTogether(settings)).toHaveLength(1);
    const start = async () => await new Service(settings, { logger: pino({ level: 'silent' }) }).start();
    await expect(start()).rejects.toMatchObject({ code: 'ROUTE_TAKEN' });
  });

  it('are accepted if each serves its own', async () => {
    const settings = settingsFor(
      '/nowhere',
      on('events', 'otlp', 'sentry'),
      OTLP,
      SENTRY,
      `extensions.query.endpoint=${ENDPOINT}`,
    );
    expect(checkEndpointsTogether(settings)).toEqual([]);
  });
});
