import { join } from 'node:path';
import type { StoreFiles } from './files/store-files.js';
import { type ActionSource, IssueActions } from './issue-actions.js';
import { ACTIONS_FILE, readActions } from './record/read-actions.js';
import { takeAction } from './take-action.js';

/**
 * Reads the actions of a folder that another process writes, and reads them again whenever the log has grown.
 * Lines that are no actions are given to `onFault` at the first reading only.
 */
export async function openFollowingActions(options: {
  /** Absolute path of the data folder. */
  directory: string;
  files: StoreFiles;
  onFault?: ((fault: Error) => void) | undefined;
}): Promise<ActionSource> {
  const { directory, files, onFault = () => undefined } = options;
  const sizeOf = async (): Promise<number> => (await files.stat(join(directory, ACTIONS_FILE)))?.bytes ?? 0;
  let bytes = await sizeOf();
  let actions = await readInto({ directory, files, onFault });
  return {
    of: (issueId) => actions.of(issueId),
    issueIds: () => actions.issueIds(),
    async refresh() {
      const bytesNow = await sizeOf();
      if (bytesNow === bytes) return;
      actions = await readInto({ directory, files });
      bytes = bytesNow;
    },
  };
}

async function readInto(options: Parameters<typeof readActions>[0]): Promise<IssueActions> {
  const actions = new IssueActions();
  for (const action of (await readActions(options)).actions) takeAction(actions, action);
  return actions;
}
