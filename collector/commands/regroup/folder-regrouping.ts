import { Fault } from '../../../core/event/fault.js';
import type { GroupingSettings } from '../../../core/fingerprint/grouping-settings.js';
import { regroupFolder } from '../../../core/storage/acting-folder.js';
import type { ReplayProgress } from '../../../core/storage/index/replay-into-index.js';
import {
  describeGrouping,
  type GroupingChoice,
  type Regroup,
  type Regrouping,
  type RegroupOptions,
  resolveGroupingChoice,
} from '../../../core/storage/regroup/regrouping.js';

/** Callbacks while a folder is opened and regrouped. */
export interface RegroupObserver {
  onFault: (fault: Error) => void;
  /** Called while the index is brought up to date before the regrouping. */
  onOpening: (progress: ReplayProgress) => void;
}

/** The data folder to regroup. */
interface FolderRegroupingOptions extends RegroupObserver {
  directory: string;
  /** Named in the hint of `STORE_LOCKED`. */
  defaultUrl: string;
}

/** Regroups a folder that no collector is using. Each call holds the writer lock. Faults: also `FOLDER_NOT_FOUND`, `STORE_LOCKED`. */
export function createFolderRegrouping({
  defaultUrl,
  onOpening: onProgress,
  ...folder
}: FolderRegroupingOptions): Regrouping {
  const withFolder = async <Result>(
    signal: AbortSignal | undefined,
    work: Parameters<typeof regroupFolder<Result>>[1],
  ): Promise<Result> =>
    await regroupFolder({ ...folder, onProgress, ...(signal && { signal }) }, work).catch((error: unknown) => {
      throw withUrlHint(error, defaultUrl);
    });

  const withChoice = <Result>(
    choice: GroupingChoice,
    { signal }: RegroupOptions,
    work: (regroup: Regroup, settings: GroupingSettings) => Promise<Result>,
  ) =>
    withFolder(signal, async ({ regroup, grouper }) => {
      const settings = resolveGroupingChoice(choice, grouper.settings);
      const grouping = describeGrouping(settings, grouper.settings);
      return { grouping, result: await work(regroup, settings) };
    });

  return {
    defaultRulesSource: 'the last configuration of the folder',
    preview: (choice, options = {}) =>
      withChoice(choice, options, (regroup, settings) => regroup.preview(settings, options)),
    apply: (choice, options = {}) =>
      withChoice(choice, options, (regroup, settings) => regroup.apply(settings, options)),
    rollBack: (options = {}) => withFolder(options.signal, ({ regroup }) => regroup.rollBack(options)),
    decide: (id, decision, { by = null, ...options } = {}) =>
      withFolder(options.signal, async ({ decisions }) => {
        const planned = await decisions.plan(id, decision, by);
        return typeof planned === 'function' ? await planned(options) : null;
      }),
    close: async () => undefined,
  };
}

function withUrlHint(error: unknown, url: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'STORE_LOCKED') return error;
  const message = `${error.message} Or let that collector regroup: --url ${url} instead of --data.`;
  return new Fault(error.code, message, { cause: error, retryable: error.retryable });
}
