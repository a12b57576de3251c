import type { RawPayload } from '../../core/event/raw-payload.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { type EventStore, openEventStore } from '../../core/storage/event-store.js';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import { post } from '../collector/post.js';
import { settingsFor, startService, stopServices } from '../collector/running-service.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { describeFailureReader } from './failure-reader.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

async function storeEach(store: EventStore, payloads: readonly RawPayload[]): Promise<void> {
  // One commit each, so that the order of arrival is the order given.
  for (const payload of payloads) await store.append([{ payload, fingerprint: computeFingerprint(payload) }]);
}

describeFailureReader('over the store in this process', async (payloads) => {
  const store = await openEventStore({ directory: await temporaryFolder(), durability: 'os' });
  await storeEach(store, payloads);
  return { reader: store.reader, store: (more) => storeEach(store, more), close: () => store.close() };
});

describeFailureReader('over a folder beside its writer', async (payloads) => {
  const directory = await temporaryFolder();
  const store = await openEventStore({ directory, durability: 'os' });
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
  const { eventsUrl, apiUrl } = await startService(
    settingsFor(await temporaryFolder(), 'exporters.store.durability=os'),
  );
  const store = async (more: readonly RawPayload[]): Promise<void> => {
    for (const payload of more) {
      expect((await post(eventsUrl, JSON.stringify(payload))).status).toBe(200);
    }
  };
  await store(payloads);
  const reader = createHttpReader({ url: new URL(apiUrl).origin });
  return { reader, store, close: () => reader.close() };
});
