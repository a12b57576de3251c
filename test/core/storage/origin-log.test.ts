import { cp } from 'node:fs/promises';
import type { EventId } from '../../../core/event/ids.js';
import { encodeRawLine } from '../../../core/event/raw-line.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const PAYLOAD = serverPayload({ timestamp: null });
const LINE = encodeRawLine(PAYLOAD);

/** The store as it is after a crash at this moment. */
async function crashed({ directory }: StoreUnderTest): Promise<StoreUnderTest> {
  const copy = await temporaryFolder();
  await cp(directory, copy, { recursive: true, filter: (path) => !path.endsWith('LOCK') });
  return await storeUnderTest(copy);
}

it('knows an event without an origin after two crashes, also if it was taken between them', async () => {
  const first = await storeUnderTest();
  await first.store.origins();
  const [stored] = await first.append({});

  const second = await crashed(first);
  const origins = await second.store.origins();
  expect(origins.takeUnlogged(LINE)).toBe(stored?.event_id);
  second.clock.nowMs += 60_000;
  await origins.append({ source: 'another', partition: 1, to: '1', origins: [] });

  const third = await (await crashed(second)).store.origins();
  expect(third.takeUnlogged(LINE)).toBe(stored?.event_id);
  const eventId = stored?.event_id as EventId;
  await third.append({ source: 'its own', partition: 0, to: '1', origins: [{ origin: eventId, stored: eventId }] });
  expect(third.takeUnlogged(LINE)).toBeUndefined();
});

it('knows a report without an origin by the line of its source, which names the event that counts it by another id', async () => {
  const first = await storeUnderTest();
  await first.store.origins();
  const [counted] = await first.append({});
  const marked = (repeats: string) => ({ extra: { faultline: { repeats } } });
  const [stored] = await first.append(marked(counted?.event_id as string));
  const origins = await (await crashed(first)).store.origins();
  const line = encodeRawLine({ ...PAYLOAD, ...marked('01890000-0000-7000-8000-000000000000') });
  expect(origins.takeUnlogged(line)).toBe(stored?.event_id);
});
