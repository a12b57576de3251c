import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SenderOrigin } from '../../../core/contract/stages.js';
import { toEventId } from '../../../core/event/ids.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const SENDERS: readonly (SenderOrigin | undefined)[] = ['anonymous', 'token', 'local', undefined, 'anonymous'];

async function storedFrom() {
  const opened = await storeUnderTest();
  const { store, reader } = opened;
  const payload = serverPayload();
  const events = Array.from({ length: 3 }, () => ({ payload, fingerprint: store.grouper.fingerprint(payload) }));
  // At once, so that they share commit records.
  const stored = await Promise.all(SENDERS.map((origin) => store.append(events, { origin })));
  const originsNow = async () => {
    const ids = stored.flat().map(({ event_id }) => toEventId(event_id));
    return Promise.all(ids.map(async (id) => id && (await reader.getEvent(id))?.origin));
  };
  return { ...opened, stored: stored.flat(), originsNow };
}

describe('the origin of stored events', () => {
  it('is that of their append, also where appends share a commit', async () => {
    const { originsNow } = await storedFrom();
    expect(await originsNow()).toEqual(SENDERS.flatMap((origin) => Array(3).fill(origin ?? null)));
  });

  it('is null in records of earlier versions, and for values that this version does not know', async () => {
    const { directory, stored, store } = await storedFrom();
    await store.close();
    const commits = join(stored[0]?.raw.path ?? '', '../commits.ndjson');
    const text = await readFile(commits, 'utf8');
    expect(text).toMatch(/"origins":"[tlau\d]+"/);
    for (const value of ['', ',"origins":"x9"', ',"origins":7']) {
      await writeFile(commits, text.replaceAll(/,"origins":"[^"]*"/g, value));
      const { reader, store: again } = await storeUnderTest(directory);
      for (const { event_id } of stored) {
        const id = toEventId(event_id);
        expect(id && (await reader.getEvent(id))?.origin).toBeNull();
      }
      await again.close();
    }
  });
});
