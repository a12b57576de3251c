import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import { toEventId } from '../../../core/event/ids.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import type { Finding } from '../../../core/storage/verify/finding.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { openRecord } from './record/open-record.js';
import { recordEvents } from './record/record-events.js';
import { closeStores, createTestGrouper, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;
const FILE = 'folder-id.json';

/** In `raw/`. */
const COPY = 'raw/@folder-id.json';

/** A folder with one event, after a clean stop. */
async function stoppedFolder() {
  const { append, directory, store } = await storeUnderTest();
  const [before] = await append({ message: 'before' });
  await store.close();
  expect(await findingsOf(directory)).toEqual([]);
  return { before: before?.event_id, directory };
}

const messageOf = async (
  { reader }: { readonly reader: Pick<FailureReader, 'getEvent'> },
  id: string | undefined,
): Promise<unknown> => {
  const eventId = toEventId(id ?? '');
  return eventId && (await reader.getEvent(eventId))?.raw.payload['message'];
};

async function findingsOf(directory: string, isWanted = (_: Finding) => true): Promise<string[]> {
  const found: Finding[] = [];
  await verifyFolder({ directory, createGrouper: createTestGrouper, onFinding: (finding) => found.push(finding) });
  return found.filter(isWanted).map(({ code, file }) => `${code} ${file}`);
}

/** The codes of damage. */
async function damagesOf(directory: string): Promise<string[]> {
  const found = await findingsOf(directory, ({ severity }) => severity === 'damage');
  return found.map((finding) => finding.split(' ')[0] ?? '');
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

  it.each([
    ['missing', FILE, undefined, 'FOLDER_ID_MISSING'],
    ['empty', FILE, () => '', 'FOLDER_ID_INVALID'],
    ['torn', FILE, (text: string) => text.slice(0, 30), 'FOLDER_ID_INVALID'],
    ['without its end', FILE, (text: string) => text.trimEnd(), 'FOLDER_ID_INVALID'],
    ['not JSON', FILE, () => 'no id\n', 'FOLDER_ID_INVALID'],
    ['changed', FILE, (text: string) => text.replace(/[0-9a-f]/, 'x'), 'FOLDER_ID_INVALID'],
    ['missing', COPY, undefined, 'FOLDER_ID_MISSING'],
    ['empty', COPY, () => '', 'FOLDER_ID_INVALID'],
  ] as const)(
    'stay if one copy of the id is %s (%s): verify names it, readers use the other one, and a start restores it',
    async (_, path, change, code) => {
      const { before, directory } = await stoppedFolder();
      const file = join(directory, path);
      const whole = await readFile(file, 'utf8');
      if (change === undefined) await rm(file);
      else await writeFile(file, change(whole));
      expect(await findingsOf(directory)).toEqual([`${code} ${path}`]);
      const reader = await openFolderReader({ directory, createGrouper: createTestGrouper });
      expect(await messageOf({ reader }, before)).toBe('before');
      await reader.close();
      const opened = await storeUnderTest(directory);
      expect(opened.faults).toMatchObject([{ code: 'FOLDER_ID_RESTORED', message: expect.stringContaining(path) }]);
      expect(await messageOf(opened, before)).toBe('before');
      expect(await readFile(file, 'utf8')).toBe(whole);
      if (change !== undefined) expect(await readFile(`${file}.unusable-1`, 'utf8')).toBe(change(whole));
      await opened.store.close();
      expect(await damagesOf(directory)).toEqual([]);
    },
  );

  it('stay in a copy of the raw files alone', async () => {
    const { before, directory } = await stoppedFolder();
    const copy = await temporaryFolder();
    await cp(join(directory, 'raw'), join(copy, 'raw'), { recursive: true });
    const opened = await storeUnderTest(copy);
    expect(await messageOf(opened, before)).toBe('before');
  });

  it('are lost with both copies, which verify and the start say', async () => {
    const { before, directory } = await stoppedFolder();
    await rm(join(directory, FILE));
    await writeFile(join(directory, COPY), '');
    expect(await damagesOf(directory)).toContain('FOLDER_ID_LOST');
    const opened = await storeUnderTest(directory);
    expect(opened.faults.map((fault) => (fault as Fault).code)).toContain('FOLDER_ID_LOST');
    expect(await messageOf(opened, before)).toBeUndefined();
    expect((await opened.reader.stats()).events).toBe(1);
    await opened.store.close();
    expect(await damagesOf(directory)).toEqual([]);
    expect((await storeUnderTest(directory)).faults).toEqual([]);
  });

  it('follow folder-id.json if its copy holds another id, which is set aside', async () => {
    const { before, directory } = await stoppedFolder();
    const other = await stoppedFolder();
    await cp(join(other.directory, COPY), join(directory, COPY));
    const foreign = await readFile(join(directory, COPY), 'utf8');
    expect(await findingsOf(directory)).toEqual([`FOLDER_ID_DIFFERS ${COPY}`]);
    const opened = await storeUnderTest(directory);
    expect(opened.faults).toMatchObject([{ code: 'FOLDER_ID_DIFFERS' }]);
    expect(await messageOf(opened, before)).toBe('before');
    expect(await readFile(join(directory, `${COPY}.unusable-1`), 'utf8')).toBe(foreign);
    await opened.store.close();
    expect(await findingsOf(directory)).toEqual([`INDEX_SET_ASIDE ${COPY}.unusable-1`]);
  });

  it('are not in danger from an environment that is named as the copy', async () => {
    const opened = await storeUnderTest();
    const [stored] = await opened.append({ message: 'before', env: '@folder-id.json' });
    expect(await messageOf(opened, stored?.event_id)).toBe('before');
  });
});
