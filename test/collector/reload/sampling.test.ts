import type { IssuePage } from '../../../generated/reader-answers.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { startService, statsOf } from '../running-service.js';
import { onFixedPorts } from './fixed-ports.js';
import { SteadySender } from './steady-sender.js';

afterAll(removeTemporaryFolders);

/** Holds counts for so long that only its shutdown forwards them. */
const sampling = (keepOneIn: number, name = 'sample'): string[] => [
  `processors.${name}={keep_first: 2, keep_one_in: ${keepOneIn}, summary_interval: 1h}`,
  `service.pipelines.events.processors=[${name}]`,
];

describe('counts that a sampling processor holds', () => {
  it('are exact after reloads that change it, its store and its receiver, and that remove it', async () => {
    const { settings } = await onFixedPorts();
    const started = await startService(settings(...sampling(1_000)));
    const { service, apiUrl, logged } = started;
    const sender = new SteadySender(() => started.eventsUrl, 'sampled');
    const variants = [
      sampling(900),
      [],
      sampling(1_000),
      [...sampling(1_000), 'exporters.store.durability=os'],
      [...sampling(800), 'receivers.events.max_events_per_request=500'],
      sampling(800, 'sample/other'),
      [...sampling(700), 'exporters.store.retention.max_age=48h'],
      [],
    ];
    try {
      for (const sets of variants) {
        const before = sender.sent.length;
        await waitFor('events that are held', () => sender.sent.length > before + 30 || sender.faults.length > 0);
        await service.reload(settings(...sets));
      }
      await sender.stop();
      expect(sender.faults).toEqual([]);
      const { length } = sender.sent;
      const page = (await (await fetch(`${apiUrl}/issues`)).json()) as IssuePage;
      expect(page.issues.map(({ count }) => count)).toEqual([length]);
      const { receivers } = await statsOf(started);
      expect(receivers['events']).toMatchObject({ received: length, refused: 0, rejected: 0 });
      expect(receivers['events']?.sampled).toBeGreaterThan(100);
      expect(Math.max(...logged.map(({ level }) => Number(level)))).toBeLessThan(50);
    } finally {
      await sender.stop();
      await service.shutdown();
    }
  });
});
