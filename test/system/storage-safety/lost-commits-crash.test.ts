import { changeFile } from '../../core/storage/record/change-file.js';
import { LivingStore } from '../../core/storage/safety/living-store.js';
import { seededRandom } from '../../core/storage/safety/seeded-random.js';
import { API_AT_ELEVEN, API_AT_TEN, codesOf, opened, stoppedFolder } from '../../core/storage/safety/stopped-folder.js';

describe('a folder that lost commit records of lines in its index', () => {
  it('has the same events wherever the file was truncated', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    const bytes = (await folder.disk.files.readFile(API_AT_TEN)) ?? Buffer.alloc(0);
    for (let end = 0; end < bytes.length; end += 97) {
      const disk = folder.disk.copy();
      await changeFile(disk, API_AT_TEN, () => bytes.subarray(0, end));
      const after = await opened({ ...folder, disk });
      expect(after.view).toEqual(before.view);
      expect(await codesOf(disk)).toEqual([]);
    }
  });

  it('has the same events after repeated power failures while commit records are restored', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    for (const path of [API_AT_TEN, API_AT_ELEVEN]) {
      await changeFile(folder.disk, path, (bytes) => bytes.subarray(0, 333));
    }
    for (let diesAt = 0, died = true; died; diesAt += 1) {
      const random = seededRandom(diesAt + 1);
      let disk = folder.disk.copy();
      for (let lives = 0; lives < 2; lives += 1) {
        let calls = 0;
        disk.fateOf = () => {
          calls += 1;
          return calls > diesAt ? { code: 'EIO', effect: random.percent(50) ? 'none' : 'part' } : undefined;
        };
        const living = await LivingStore.open({ ...folder, disk }).catch(() => undefined);
        died = calls > diesAt;
        disk = random.percent(50) ? disk.kill() : disk.failPower(random.next);
        await living?.store.close().catch(() => undefined);
      }
      const after = await opened({ ...folder, disk });
      expect(after.view).toEqual(before.view);
      expect(await codesOf(disk)).toEqual([]);
    }
  });
});
