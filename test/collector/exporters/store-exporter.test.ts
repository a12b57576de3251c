import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { EventStoreExporter } from '../../../collector/exporters/store-exporter.js';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { Fault } from '../../../core/event/fault.js';
import { DEFAULT_GROUPING, FINGERPRINT_VERSION } from '../../../core/fingerprint/grouping-settings.js';
import { type AppendOptions, type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

/** `wrap` replaces the append of the store. */
async function startExporter(
  wrap: (append: EventStore['append']) => EventStore['append'] = (append) => append,
  directory?: string,
) {
  const logged: { msg?: string; version?: number }[] = [];
  directory ??= await temporaryFolder();
  const exporter = new EventStoreExporter({
    settings: {
      directory,
      durability: 'os',
      checkpoint_interval: '5s',
      retention: { max_age: '0', max_size: '0' },
      rejected: { max_age: '0', max_size: '0' },
    },
    logger: pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    openStore: async (options) => {
      const store = await openEventStore(options);
      return Object.assign(store, { append: wrap(store.append.bind(store)) });
    },
  });
  await exporter.start();
  return { exporter, directory, logged };
}

const one: ReceivedEvent[] = [{ payload: serverPayload() }];

describe('the store exporter', () => {
  it('stores events with their fingerprints, in their order', async () => {
    const { exporter, directory } = await startExporter();
    const payloads = Array.from({ length: 1_000 }, (_, index) =>
      serverPayload({ error_name: `E${index % 7}`, request_id: `${index}` }),
    );
    const outcomes = await exporter.consume({ receiver: 'events', events: payloads.map((payload) => ({ payload })) });
    const stored = outcomes.flatMap((outcome) => (outcome.kind === 'stored' ? outcome.stored : []));
    expect(stored.map(({ fingerprint }) => fingerprint)).toEqual(
      payloads.map((payload) => computeFingerprint(payload).value),
    );
    expect(stored.map(({ raw }) => raw.line)).toEqual(payloads.map((_, index) => index));
    expect(stored[0]?.raw.path.startsWith(directory)).toBe(true);
    await exporter.shutdown();
  });

  it('lets other work run while it groups a large batch', async () => {
    const { exporter } = await startExporter();
    const stack = Array.from(
      { length: 400 },
      (_, line) => `    at call${line} (/srv/api/src/file${line}.js:${line}:1)`,
    ).join('\n');
    const events = Array.from({ length: 500 }, () => ({ payload: serverPayload({ stack }) }));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await exporter.consume({ receiver: 'events', events });
    isDone = true;
    expect(turns).toBeGreaterThan(3);
    await exporter.shutdown();
  });

  it('appends under the batch id', async () => {
    const appends: (AppendOptions | undefined)[] = [];
    const { exporter } = await startExporter((append) => (events, options) => {
      appends.push(options);
      return append(events, options);
    });
    await exporter.consume({ receiver: 'events', events: one, batchId: 'import:1' });
    await exporter.consume({ receiver: 'events', events: one });
    expect(appends).toMatchObject([{ batchId: 'import:1' }, { groupedBy: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    await exporter.shutdown();
  });

  it('logs once that the store refuses and once that it accepts again', async () => {
    let isFull = true;
    const { exporter, logged } = await startExporter((append) => async (events, options) => {
      if (isFull) throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
      return await append(events, options);
    });
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(exporter.consume({ receiver: 'events', events: one })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
    }
    isFull = false;
    await exporter.consume({ receiver: 'events', events: one });
    await exporter.consume({ receiver: 'events', events: one });
    expect(logged.map(({ msg }) => msg)).toEqual(['the store refuses events', 'the store accepts events again']);
    await exporter.shutdown();
  });

  it('warns of a folder whose events an earlier version of the rules grouped, until it is regrouped', async () => {
    const { exporter: first, directory } = await startExporter();
    await first.shutdown();
    const log = join(directory, 'groupings.ndjson');
    await writeFile(log, (await readFile(log, 'utf8')).replace(`"version":${FINGERPRINT_VERSION}`, '"version":3'));
    const { exporter, logged } = await startExporter(undefined, directory);
    expect(logged).toMatchObject([{ version: 3, msg: expect.stringContaining('faultline regroup --apply') }]);
    await exporter.opened().regroup.apply(DEFAULT_GROUPING);
    await exporter.shutdown();
    const { exporter: last, logged: none } = await startExporter(undefined, directory);
    expect(none).toEqual([]);
    await last.shutdown();
  });

  it('is not read before it is open or after it is closed', async () => {
    const { exporter, directory } = await startExporter();
    expect(exporter.directory).toBe(resolve(directory));
    expect((await exporter.opened().reader.stats()).events).toBe(0);
    await exporter.shutdown();
    await exporter.shutdown();
    expect(() => exporter.opened()).toThrow(expect.objectContaining({ code: 'STORE_CLOSED', retryable: true }));
    await expect(exporter.consume({ receiver: 'events', events: one })).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});
