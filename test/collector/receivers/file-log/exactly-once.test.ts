import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { StoreExporter } from '../../../../collector/component/built-in.js';
import type { Consumer } from '../../../../collector/component/consumer.js';
import { EventStoreExporter } from '../../../../collector/exporters/store-exporter.js';
import type { FailureReader } from '../../../../core/contract/reader.js';
import { Fault } from '../../../../core/event/fault.js';
import { openEventStore } from '../../../../core/storage/event-store.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { errorLine, FollowedLogs } from './followed-logs.js';

afterAll(removeTemporaryFolders);

async function startStore(folder: string): Promise<StoreExporter> {
  const exporter = new EventStoreExporter({
    settings: {
      directory: join(folder, 'store'),
      durability: 'os',
      checkpoint_interval: '5s',
      retention: { max_age: '0', max_size: '0' },
      rejected: { max_age: '0', max_size: '0' },
    },
    logger: pino({ level: 'silent' }),
    openStore: openEventStore,
  });
  await exporter.start();
  return exporter;
}

/** Stores this number of batches, fails after the last one as if the process were killed, then refuses. */
function killedAfter(batches: number, consumer: Consumer): Consumer & { readonly isKilled: boolean } {
  let stored = 0;
  return {
    get isKilled() {
      return stored >= batches;
    },
    async consume(batch) {
      const outcomes = stored < batches ? await consumer.consume(batch) : [];
      stored += 1;
      if (stored < batches) return outcomes;
      throw new Fault('STORE_UNAVAILABLE', 'gone', { retryable: true });
    },
  };
}

const WAITS = { firstMs: 3_600_000, longestMs: 3_600_000 };

describe('failures that a killed process was about to forward', () => {
  it('are looked up in the store first, and only missing ones are forwarded, even if their file is gone', async () => {
    const logs = await FollowedLogs.make();
    const store = await startStore(logs.folder);
    const reader = (): FailureReader => store.opened().reader;
    // All of one issue, and more than one page of events: the first batch of 500 is stored, the rest is not.
    const count = 700;
    await logs.write(
      'api.log',
      Array.from({ length: count }, (_, index) => errorLine(`order ${index} failed`)).join(''),
    );
    const killed = killedAfter(1, store);
    await logs.start({}, { consumer: killed, reader, waits: WAITS });
    await waitFor('the end of the first process', () => killed.isKilled);
    await logs.stop();
    await rm(logs.path('api.log'));

    await logs.start({}, { consumer: store, reader });
    await waitFor('all', async () => (await store.opened().reader.stats()).events >= count);
    await logs.append('api.log', errorLine('order 0 failed'));
    await waitFor('one more', async () => (await store.opened().reader.stats()).events > count);
    await logs.stop();
    expect((await store.opened().reader.stats()).events).toBe(count + 1);
    const { issues } = await store.opened().reader.listIssues();
    expect(issues).toMatchObject([{ count: count + 1 }]);
    await store.shutdown();
  });

  it('are forwarded once the store can be read', async () => {
    const logs = await FollowedLogs.make();
    const store = await startStore(logs.folder);
    await logs.write('api.log', errorLine('one'));
    const killed = killedAfter(1, store);
    await logs.start({}, { consumer: killed, reader: () => store.opened().reader, waits: WAITS });
    await waitFor('the end of the first process', () => killed.isKilled);
    await logs.stop();
    let asked = 0;
    const reader = (): FailureReader => {
      asked += 1;
      if (asked < 3) throw new Fault('STORE_CLOSED', 'not open yet', { retryable: true });
      return store.opened().reader;
    };
    await logs.append('api.log', errorLine('two'));
    await logs.start({}, { consumer: store, reader });
    await waitFor('both', async () => (await store.opened().reader.stats()).events >= 2);
    await logs.stop();
    expect((await store.opened().reader.stats()).events).toBe(2);
    await store.shutdown();
  });
});
