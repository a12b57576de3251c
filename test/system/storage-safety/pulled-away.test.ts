import { join } from 'node:path';
import type { StoredEvent } from '../../../core/contract/stages.js';
import type { Fault } from '../../../core/event/fault.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { seededRandom } from '../../core/storage/safety/seeded-random.js';
import { eventOf, groupByName } from '../../core/storage/safety/sent-events.js';
import { groupsBy } from '../../helpers/grouping.js';

const SEEDS = 40;
const ROUNDS = 14;

/** Returns the message of the event at an address. */
function messageAt(disk: MemoryDisk, { path, line }: StoredEvent['raw']): string | undefined {
  const text = disk.contentOf(path)?.toString('utf8').split('\n')[line];
  return text === undefined || text === '' ? undefined : JSON.parse(text).message;
}

/** Changes to the folder, given the raw file of one stored event. */
const PULLS: readonly ((disk: MemoryDisk, raw: string) => void)[] = [
  (disk) => disk.pull(MEMORY_ROOT),
  (disk) => disk.pull(join(MEMORY_ROOT, 'raw')),
  (disk) => disk.pull(join(MEMORY_ROOT, 'LOCK')),
  (disk, raw) => disk.pull(raw.slice(0, raw.lastIndexOf('/'))),
  (disk, raw) => disk.pull(raw),
  (disk, raw) => disk.pull(raw.replace(/raw\.ndjson$/, 'commits.ndjson')),
  (disk, raw) => disk.contentOf(raw) && disk.cut(raw, 0),
  (disk, raw) => disk.cut(raw, (disk.contentOf(raw)?.length ?? 0) >> 1),
];

describe.each(['fsync', 'os'] as const)(
  'a store whose files are removed at any moment, durability %s',
  (durability) => {
    it('acknowledges only stored events, loses only removed files, and stores nothing that it rejected', async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const random = seededRandom(seed);
        const disk = createMemoryDisk();
        const onFault = (): void => undefined;
        let lost = undefined as Fault | undefined;
        const open = (): Promise<EventStore> =>
          openEventStore({
            directory: MEMORY_ROOT,
            files: disk.files,
            createGrouper: groupsBy(groupByName),
            durability,
            onFault,
            onLost: (fault) => {
              lost = fault;
            },
          });
        let store = await open();
        const stored: StoredEvent[] = [];
        const messages = new Map<string, string>();
        const append = async (round: number, service: string): Promise<void> => {
          const message = `round ${round} of ${service}`;
          const events = [1, 2].map((kind) => eventOf({ message, kind, service }));
          await store.append(events).then(
            (events) => {
              for (const one of events) {
                expect(messageAt(disk, one.raw)).toBe(message);
                stored.push(one);
                messages.set(one.event_id, message);
              }
            },
            (error: unknown) => {
              expect(error).toMatchObject({ retryable: true });
            },
          );
        };
        await append(0, 'api');
        const raw = stored[0]?.raw.path ?? '';
        const pull = PULLS[seed % PULLS.length];
        let calls = random.integer(1, 60);
        let isPulled = false;
        disk.fateOf = () => {
          calls -= 1;
          if (calls === 0) {
            pull?.(disk, raw);
            isPulled = true;
          }
          return undefined;
        };
        for (let round = 1; round <= ROUNDS; round += 1) {
          await Promise.all(['api', 'web', 'jobs'].map((service) => append(round, service)));
          if (lost === undefined) continue;
          expect(lost.code).toBe('RECORD_MOVED');
          await store.close();
          lost = undefined;
          store = await open();
        }
        expect(isPulled).toBe(true);
        // The index has the remaining events, each once.
        const counted = await store.reader.searchEvents({ query: '', limit: 1000 });
        const known = counted.events.map(({ event_id }) => messages.get(event_id));
        expect([seed, known.filter((one) => one === undefined)]).toEqual([seed, []]);
        expect((await store.reader.stats()).events).toBe(counted.events.length);
        await store.close();
      }
    });
  },
);
