import { cp } from 'node:fs/promises';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { startService } from '../../running-service.js';
import { startReceiver } from './call-receiver.js';
import { callingSettings, send, stopAll, webhookStats } from './calling-collector.js';

afterEach(stopAll);
afterAll(removeTemporaryFolders);

describe('the calls of a webhook that is interrupted', () => {
  it('are made after a restart, each with its earlier id, also for issues that arrived without the webhook', async () => {
    const [receiver, directory] = [await startReceiver(), await temporaryFolder()];
    receiver.respond = () => undefined;
    const settings = callingSettings(directory, receiver.url);
    const first = await startService(settings);
    await send(first, kindOfFailure(1));
    await waitFor('the first call', () => receiver.calls.length === 1);
    await send(first, kindOfFailure(2));
    await waitFor('both to wait', async () => (await webhookStats(first)).waiting === 2);
    const beganMs = performance.now();
    await first.service.shutdown();
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    const without = await startService({
      ...settings,
      service: {
        ...settings.service,
        pipelines: callingSettings(directory, receiver.url, 'service.pipelines.events.exporters=[store]').service
          .pipelines,
      },
    });
    await send(without, kindOfFailure(3));
    await without.service.shutdown();
    receiver.respond = () => ({ status: 200 });
    const second = await startService(settings);
    await waitFor('all', async () => (await webhookStats(second)).sent === 3);
    const [hung, ...alerts] = receiver.calls;
    expect(alerts.map(({ body }) => body.data.issue.error_name)).toEqual(
      [1, 2, 3].map((kind) => kindOfFailure(kind)['error_name']),
    );
    expect(alerts[0]?.headers['webhook-id']).toBe(hung?.headers['webhook-id']);
    expect(alerts[0]?.text).toBe(hung?.text);
  });

  it('are repeated with the same id after a crash before the response was recorded', async () => {
    const [receiver, directory, left] = [await startReceiver(), await temporaryFolder(), await temporaryFolder()];
    receiver.respond = () => undefined;
    const running = await startService(callingSettings(directory, receiver.url));
    await send(running, kindOfFailure(1));
    await waitFor('the call', () => receiver.calls.length === 1);
    // The disk now holds what a crash leaves.
    await cp(directory, left, { recursive: true, filter: (path) => !path.includes('LOCK') });
    receiver.respond = () => ({ status: 200 });
    const restarted = await startService(callingSettings(left, receiver.url));
    await waitFor('it', async () => (await webhookStats(restarted)).sent === 1);
    const [before, after] = receiver.calls;
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.text).toBe(before?.text);
  });

  it('continue across a reload that does not change them', async () => {
    const [receiver, directory] = [await startReceiver(), await temporaryFolder()];
    const collector = await startService(callingSettings(directory, receiver.url));
    await send(collector, kindOfFailure(1));
    await waitFor('it', async () => (await webhookStats(collector)).sent === 1);
    await collector.service.reload(
      callingSettings(directory, receiver.url, 'receivers.events.max_events_per_request=77'),
    );
    const [{ url = '' } = {}] = collector.service.describe().receivers;
    await send({ ...collector, eventsUrl: url }, kindOfFailure(2));
    const api = `${collector.service.describe().extensions[0]?.url}/api/v1`;
    await waitFor('the next one', async () => (await webhookStats({ ...collector, apiUrl: api })).sent === 2);
  });
});
