import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toEventId } from '../../../core/event/ids.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { openRecord } from './record/open-record.js';
import { recordEvents } from './record/record-events.js';
import { closeStores, createTestGrouper, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;
const FILE = 'folder-id.json';

const messageOf = async ({ reader }: StoreUnderTest, id: string | undefined): Promise<unknown> => {
  const eventId = toEventId(id ?? '');
  return eventId && (await reader.getEvent(eventId))?.raw.payload['message'];
};

async function damagesOf(directory: string): Promise<string[]> {
  const codes: string[] = [];
  await verifyFolder({
    directory,
    createGrouper: createTestGrouper,
    onFinding: ({ severity, code }) => void (severity === 'damage' && codes.push(code)),
  });
  return codes;
}

describe('event ids of data folders', () => {
  it('differ, even of events that two collectors receive at the same instant on the same line', async () => {
    const [one, other] = [await storeUnderTest(), await storeUnderTest()];
    const [[mine], [theirs]] = [await one.append({ message: 'mine' }), await other.append({ message: 'theirs' })];
    expect(theirs?.raw.line).toBe(mine?.raw.line);
    expect(theirs?.event_id).not.toBe(mine?.event_id);
    expect([await messageOf(one, mine?.event_id), await messageOf(one, theirs?.event_id)]).toEqual(['mine', undefined]);
  });

  it('stay the same in a folder that had no id, whose later hours depend on the new one', async () => {
    const directory = await temporaryFolder();
    const before = await openRecord(directory);
    const old = await before.writer.append(recordEvents(2, 'old'));
    await before.writer.close();
    const opened = await storeUnderTest(directory);
    expect(await messageOf(opened, old[1]?.eventId)).toBe(old[1]?.event.payload.message);
    opened.clock.nowMs += HOUR_MS;
    const [added] = await opened.append({ message: 'new' });
    expect(added?.event_id.slice(-8)).not.toBe(old[0]?.eventId.slice(-8));
    await opened.store.close();
    await rm(join(directory, 'index'), { recursive: true });
    const again = await storeUnderTest(directory);
    expect(await messageOf(again, old[1]?.eventId)).toBe(old[1]?.event.payload.message);
    expect(await messageOf(again, added?.event_id)).toBe('new');
  });

  it('name the damage of the id, which is set aside and replaced', async () => {
    const { append, directory, store } = await storeUnderTest();
    await append({});
    await store.close();
    expect(await damagesOf(directory)).toEqual([]);
    const damaged = (await readFile(join(directory, FILE), 'utf8')).replace(/[0-9a-f]/, 'x');
    await writeFile(join(directory, FILE), damaged);
    expect(await damagesOf(directory)).toContain('FOLDER_ID_INVALID');
    await storeUnderTest(directory);
    expect(await readFile(join(directory, `${FILE}.unusable-1`), 'utf8')).toBe(damaged);
    expect(await readFile(join(directory, FILE), 'utf8')).not.toBe(damaged);
  });
});
