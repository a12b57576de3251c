import type { Settings } from '../../../../generated/settings.js';
import { closeBodyServers } from '../../../helpers/body-server.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { post } from '../../post.js';
import {
  originOf,
  type RunningService,
  settingsFor,
  startService,
  statsOf,
  stopServices,
} from '../../running-service.js';
import { type Backend, startBackend } from '../backend.js';

afterEach(async () => {
  await stopServices();
  await closeBodyServers();
});
afterAll(removeTemporaryFolders);

function sendingTo(directory: string, backend: Pick<Backend, 'url'>, ...sets: string[]): Settings {
  return settingsFor(
    directory,
    'service.pipelines.events.exporters=[store, otlp_http]',
    `exporters.otlp_http.endpoint=${backend.url}`,
    'exporters.otlp_http.retry_on_failure.initial_interval=5ms',
    'exporters.otlp_http.retry_on_failure.max_interval=20ms',
    'exporters.otlp_http.sending_queue.flush_interval=5ms',
    ...sets,
  );
}

async function send({ eventsUrl }: RunningService, from: number, events: number): Promise<string[]> {
  const payloads = Array.from({ length: events }, (_, index) =>
    kindOfFailure((from + index) % 20, { request_id: `${from + index}` }),
  );
  const { body } = await post(eventsUrl, JSON.stringify(payloads));
  return (body.events ?? []).map(({ event_id }) => event_id);
}

describe('a collector that sends', () => {
  it('delivers every event once to a backend that was down, across a restart', async () => {
    const directory = await temporaryFolder();
    const down = await startBackend();
    await down.close();
    const settings = sendingTo(directory, down);
    const first = await startService(settings);
    const ids = [...(await send(first, 0, 200)), ...(await send(first, 200, 300))];
    const failing = await waitFor('it to fail', async () => {
      const { otlp_http: own } = (await statsOf(first)).exporters ?? {};
      return own?.last_error !== null && own;
    });
    expect(failing).toMatchObject({ destination: `${down.url}/v1/logs`, waiting: 500, sent: 0, lost: 0 });
    await first.service.shutdown();

    const second = await startService(settings);
    ids.push(...(await send(second, 500, 100)));
    const backend = await startBackend(down.port);
    await waitFor('everything', async () => (await statsOf(second)).exporters?.['otlp_http']?.waiting === 0);
    expect([...backend.ids()].sort()).toEqual([...ids].sort());
    expect(ids).toHaveLength(600);
  });

  it('accepts events while a backend hangs', async () => {
    const backend = await startBackend();
    backend.respond = () => 'hang';
    const collector = await startService(sendingTo(await temporaryFolder(), backend));
    for (let request = 0; request < 10; request += 1) expect(await send(collector, request * 50, 50)).toHaveLength(50);
    expect((await statsOf(collector)).exporters?.['otlp_http']).toMatchObject({ waiting: 500 });
  });

  it('delivers to another Faultline, which stores an event once even if it is sent twice', async () => {
    const target = await startService(
      settingsFor(
        await temporaryFolder(),
        'service.pipelines.events.receivers=[otlp]',
        'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
        'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
      ),
    );
    const names = ['otlp_http/a', 'otlp_http/b'];
    const source = await startService(
      settingsFor(
        await temporaryFolder(),
        `service.pipelines.events.exporters=[store, ${names.join(', ')}]`,
        ...names.map((name) => `exporters.${name}.endpoint=${originOf(target, 'otlp')}`),
      ),
    );
    await send(source, 0, 60);
    await waitFor('both', async () => {
      const { exporters = {} } = await statsOf(source);
      return names.every((name) => exporters[name]?.sent === 60);
    });
    const stats = await statsOf(target);
    expect(stats.events).toBe(60);
    expect(stats.receivers['otlp']).toMatchObject({ stored: 60, filtered: 60, reasons: { OTLP_DUPLICATE: 60 } });
    const of = async ({ apiUrl }: RunningService) => {
      const { issues } = (await (await fetch(`${apiUrl}/issues?limit=100&sort=first_seen`)).json()) as {
        issues: { title: string; count: number; fingerprint: string }[];
      };
      return issues.map(({ title, count, fingerprint }) => ({ title, count, fingerprint }));
    };
    expect(await of(target)).toEqual(await of(source));
  });
});
