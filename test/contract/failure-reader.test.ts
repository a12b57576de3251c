import type { RawPayload } from '../../core/event/raw-payload.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { type EventStore, openEventStore } from '../../core/storage/event-store.js';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import { post } from '../collector/post.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { killLeftoverProcesses, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { describeFailureReader } from './failure-reader.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

async function storeEach(store: EventStore, payloads: readonly RawPayload[]): Promise<void> {
  // One commit each, so that the order of arrival is the order given.
  for (const payload of payloads) await store.append([{ payload, fingerprint: computeFingerprint(payload) }]);
}

describeFailureReader('over the store in this process', async (payloads) => {
  const store = await openEventStore({ directory: await temporaryFolder() });
  await storeEach(store, payloads);
  return { reader: store.reader, store: (more) => storeEach(store, more), close: () => store.close() };
});

describeFailureReader('over a folder beside its writer', async (payloads) => {
  const directory = await temporaryFolder();
  const store = await openEventStore({ directory });
  await storeEach(store, payloads);
  const reader = await openFolderReader({ directory });
  return {
    reader,
    store: (more) => storeEach(store, more),
    close: async () => {
      await reader.close();
      await store.close();
    },
  };
});

describeFailureReader('over HTTP', async (payloads) => {
  const collector = await startCollector(await temporaryFolder());
  const store = async (more: readonly RawPayload[]): Promise<void> => {
    for (const payload of more) {
      expect((await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(payload))).status).toBe(200);
    }
  };
  await store(payloads);
  const reader = createHttpReader({ url: collector.queryUrl });
  return {
    reader,
    store,
    close: async () => {
      await reader.close();
      await stop(collector);
    },
  };
});
