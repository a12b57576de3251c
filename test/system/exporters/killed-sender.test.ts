import { type Backend, idsOf, startBackend } from '../../collector/exporters/backend.js';
import { post } from '../../collector/post.js';
import { closeBodyServers } from '../../helpers/body-server.js';
import { killLeftoverProcesses, type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterEach(closeBodyServers);
afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const BATCH = 50;

async function startSending(directory: string, backend: Pick<Backend, 'url'>): Promise<RunningCollector> {
  return await startCollector(directory, [
    '--set=service.pipelines.events.exporters=[store, otlp_http]',
    '--set=service.telemetry.metrics.level=none',
    '--set=extensions.health_check.endpoint=localhost:0',
    `--set=exporters.otlp_http.endpoint=${backend.url}`,
    '--set=exporters.otlp_http.retry_on_failure.initial_interval=10ms',
    '--set=exporters.otlp_http.retry_on_failure.max_interval=50ms',
    `--set=exporters.otlp_http.sending_queue.max_batch_events=${BATCH}`,
  ]);
}

async function send({ ingestUrl }: RunningCollector, events: number): Promise<string[]> {
  const payloads = Array.from({ length: events }, (_, index) => serverPayload({ request_id: String(index) }));
  const { body } = await post(`${ingestUrl}/v1/events`, JSON.stringify(payloads));
  return (body.events ?? []).map(({ event_id }) => event_id);
}

describe('a collector that is killed', () => {
  it('delivers once every event that it accepted while the backend was down', async () => {
    const directory = await temporaryFolder();
    const down = await startBackend();
    await down.close();
    const first = await startSending(directory, down);
    const ids = await send(first, 120);
    await stop(first, 'SIGKILL');
    const second = await startSending(directory, down);
    ids.push(...(await send(second, 30)));
    const backend = await startBackend(down.port);
    await waitFor('everything', () => backend.ids().length >= ids.length);
    expect([...backend.ids()].sort()).toEqual([...ids].sort());
    await stop(second, 'SIGKILL');
  });

  it('sends at most one batch a second time, with the same ids, if it was killed before it wrote its cursor', async () => {
    const directory = await temporaryFolder();
    const backend = await startBackend();
    let running: RunningCollector | undefined;
    // The backend accepts, but the process that waits for the response is dead.
    backend.respond = (_, nth) => {
      if (nth === 1) running?.child.kill('SIGKILL');
      return { status: 200 };
    };
    running = await startSending(directory, backend);
    const ids = await send(running, 4 * BATCH);
    await running.finished;
    const again = await startSending(directory, backend);
    await waitFor('everything', () => new Set(backend.ids()).size === ids.length);
    await waitFor('the cursor', () => backend.accepted.length >= 4);
    expect([...new Set(backend.ids())].sort()).toEqual([...ids].sort());
    const [, second, third] = backend.accepted;
    const twice = backend.ids().length - ids.length;
    expect([0, BATCH]).toContain(twice);
    if (twice > 0 && second !== undefined && third !== undefined) expect(idsOf(third)).toEqual(idsOf(second));
    await stop(again, 'SIGKILL');
  });
});
