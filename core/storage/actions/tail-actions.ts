import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import type { FollowingGroupings } from '../groupings/grouping-log.js';
import { followSteps } from '../groupings/grouping-log-plan.js';
import { IssueActions } from './action-history.js';
import { ACTIONS_FILE, readActions } from './action-log.js';

/** Opens the actions of a folder that another process writes; `onFault` gets invalid lines of the first read. */
export async function openFollowingActions(options: {
  directory: string;
  files: StoreFiles;
  groupings: Pick<FollowingGroupings, 'lines' | 'refresh'>;
  onFault?: ((fault: Error) => void) | undefined;
}): Promise<IssueActions> {
  const { directory, files, groupings, onFault = () => undefined } = options;
  const sizeOf = async (): Promise<number> => (await files.stat(join(directory, ACTIONS_FILE)))?.bytes ?? 0;
  let bytes = await sizeOf();
  let { lines } = groupings;
  const actions = new IssueActions(async () => {
    await groupings.refresh();
    const bytesNow = await sizeOf();
    if (bytesNow === bytes && groupings.lines === lines) return;
    lines = groupings.lines;
    actions.replace((await readActions({ directory, files })).actions, followSteps(lines));
    bytes = bytesNow;
  });
  actions.replace((await readActions({ directory, files, onFault })).actions, followSteps(lines));
  return actions;
}
