import { verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { groupsBy } from '../../../helpers/grouping.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { LivingStore } from './living-store.js';
import { eventOf, groupByName } from './sent-events.js';
import { StoreModel } from './store-model.js';
import { viewOf } from './store-view.js';

const HOUR_MS = 3_600_000;
/** Commit records of the folder. */
export const API_AT_TEN = `${MEMORY_ROOT}/raw/p/api/a/2026/11/21/10/commits.ndjson`;
export const API_AT_ELEVEN = API_AT_TEN.replace('/10/', '/11/');
export const WEB_AT_ELEVEN = API_AT_ELEVEN.replace('/api/', '/web/');

interface Folder {
  readonly disk: MemoryDisk;
  readonly model: StoreModel;
  readonly clock: { nowMs: number };
}

/** Returns a folder with two hours of two services and one batch id, after a clean stop. */
export async function stoppedFolder(): Promise<Folder> {
  const folder = { disk: createMemoryDisk(), model: new StoreModel(), clock: { nowMs: TEN_O_CLOCK_MS } };
  const living = await LivingStore.open(folder);
  for (let batch = 0; batch < 16; batch += 1) {
    const events = ['api', 'web', 'api'].map((service, index) =>
      eventOf({ message: `${batch} ${index}`, service, env: 'p', kind: batch % 4 }),
    );
    await living.append(events, batch === 3 ? { batchId: 'import:march:3' } : {});
    if (batch === 7) folder.clock.nowMs += HOUR_MS;
  }
  await living.store.close();
  return folder;
}

/** Returns the codes that verify finds, without those of a repair. */
export async function codesOf(disk: MemoryDisk): Promise<string[]> {
  const codes: string[] = [];
  const onFinding = ({ code }: { code: string }): void => void codes.push(code);
  const createGrouper = groupsBy(groupByName);
  await verifyFolder({ directory: MEMORY_ROOT, files: disk.files, createGrouper, onFinding });
  return codes.filter((code) => code !== 'SALVAGED' && code !== 'INDEX_SET_ASIDE');
}

/** Opens a store on the folder; returns its content and faults. */
export async function opened({ disk, model, clock }: Folder) {
  const living = await LivingStore.open({ disk, model, clock });
  await living.surveyed();
  const view = await viewOf(living.store.reader);
  const faults = living.faults.map(({ code }) => code);
  await living.store.close();
  return { view, faults };
}
