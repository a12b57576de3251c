import { Fault } from '../../../../core/event/fault.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import type { MemoryDisk } from '../record/memory-disk.js';
import { DAMAGES } from './damages.js';
import { append, filesUnder, lostEvidence, openStore, sampleFolder, verify } from './sample-folder.js';

let sample: MemoryDisk;
beforeAll(async () => {
  sample = await sampleFolder();
});

/** Opens a damaged folder, and stores an event if it opens. */
async function useFolder(disk: MemoryDisk): Promise<void> {
  let store: Awaited<ReturnType<typeof openStore>>;
  try {
    store = await openStore(disk, { onFault: () => undefined });
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(STORE_LOCKED|STORE_UNAVAILABLE)$/) });
    return;
  }
  expect((await store.reader.listIssues({ limit: 5 })).issues.length).toBeGreaterThan(0);
  await append(store, [kindOfFailure(3)]);
  await store.close();
}

describe('a folder with a damage', () => {
  it.each(DAMAGES)(
    'is found by verify with file, line and code, and keeps its record in a start: $name',
    async (one) => {
      const disk = sample.copy();
      const file = typeof one.file === 'string' ? one.file : await one.file(disk);
      await one.damage(disk);
      const before = await filesUnder(disk);
      const { findings, summary } = await verify(disk);
      const expected = { code: one.code, file, severity: 'damage', ...(one.line !== undefined && { line: one.line }) };
      expect(findings).toContainEqual(expect.objectContaining(expected));
      expect(summary.damages).toBeGreaterThan(0);
      expect(findings.length).toBeLessThan(30);

      await useFolder(disk);
      expect(lostEvidence(before, await filesUnder(disk))).toEqual([]);
    },
  );
});
