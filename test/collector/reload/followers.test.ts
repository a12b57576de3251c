import { closeBodyServers } from '../../helpers/body-server.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { startBackend } from '../exporters/backend.js';
import { startService, statsOf } from '../running-service.js';
import { onFixedPorts } from './fixed-ports.js';
import { SteadySender } from './steady-sender.js';

afterEach(closeBodyServers);
afterAll(removeTemporaryFolders);

const OTHER_RECEIVER = ['receivers.events.max_events_per_request=500'];
const OTHER_STORE = ['exporters.store.retention.max_age=48h'];
const OTHER_HEADERS = ['exporters.otlp_http.headers={x-turn: other}'];
const WITHOUT = ['service.pipelines.events.exporters=[store]'];

describe('an exporter that follows the store', () => {
  it('sends every event exactly once across reloads that change other components, its store or itself, and that remove and restore it', async () => {
    const backend = await startBackend();
    const { settings } = await onFixedPorts();
    const following = [
      'service.pipelines.events.exporters=[store, otlp_http]',
      `exporters.otlp_http.endpoint=${backend.url}`,
      'exporters.otlp_http.sending_queue.flush_interval=5ms',
    ];
    const started = await startService(settings(...following));
    const { service, logged } = started;
    const sender = new SteadySender(() => started.eventsUrl, 'followed');
    const turns: readonly (readonly [string, readonly string[]])[] = [
      ['another receiver', OTHER_RECEIVER],
      ['its store', [...OTHER_RECEIVER, ...OTHER_STORE]],
      ['itself', [...OTHER_RECEIVER, ...OTHER_STORE, ...OTHER_HEADERS]],
      ['itself away', [...OTHER_RECEIVER, ...OTHER_STORE, ...WITHOUT]],
      ['its store while it is away', [...OTHER_RECEIVER, ...WITHOUT]],
      ['itself back', OTHER_RECEIVER],
      ['all of them', [...OTHER_STORE, ...OTHER_HEADERS]],
      ['all as at first', []],
    ];
    const withOtherHeaders = (): number =>
      backend.received.filter(({ headers }) => headers['x-turn'] === 'other').length;
    try {
      for (const [what, sets] of [...turns, ...turns]) {
        const before = sender.sent.length;
        const calledBefore = withOtherHeaders();
        await service.reload(settings(...following, ...sets));
        await waitFor(`more events with ${what}`, () => sender.sent.length > before + 10 || sender.faults.length > 0);
        if (!sets.includes(String(OTHER_HEADERS))) continue;
        await waitFor('other headers', () => withOtherHeaders() > calledBefore);
      }
      await sender.stop();
      expect(sender.faults).toEqual([]);
      const { length } = sender.sent;
      await waitFor('all events at the backend', () => backend.ids().length >= length);
      expect(new Set(backend.ids()).size).toBe(backend.ids().length);
      const stats = await waitFor('the last answer to be kept', async () => {
        const now = await statsOf(started);
        return now.exporters?.['otlp_http']?.waiting === 0 && now;
      });
      expect(stats).toMatchObject({ events: length, exporters: { otlp_http: { lost: 0 } } });
      expect(backend.ids()).toHaveLength(length);
      expect(Math.max(...logged.map(({ level }) => Number(level)))).toBeLessThan(50);
    } finally {
      await sender.stop();
      await service.shutdown();
    }
  });
});
