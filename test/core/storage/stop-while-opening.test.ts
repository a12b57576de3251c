import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openEventStore } from '../../../core/storage/event-store.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { computeFingerprint } from '../fingerprint/compute-fingerprint.js';

afterAll(removeTemporaryFolders);

describe('a store that is aborted while it opens', () => {
  it('rejects and releases its lock, and the next opening completes the index', async () => {
    const directory = await temporaryFolder();
    const options = { directory };
    const store = await openEventStore(options);
    for (let kind = 0; kind < 5; kind += 1) {
      const payload = kindOfFailure(kind);
      await store.append([{ payload, fingerprint: computeFingerprint(payload) }]);
    }
    await store.close();
    await rm(join(directory, 'index'), { recursive: true });

    const stopped = openEventStore({ ...options, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'STORE_CLOSING', retryable: true });

    const next = await openEventStore(options);
    expect((await next.reader.listIssues()).total).toBe(5);
    await next.close();
  });
});
