import { Fault } from '../../core/event/fault.js';
import type { ReplayProgress } from '../../core/storage/index/replay/replay-into-index.js';
import {
  describeGrouping,
  type GroupingChoice,
  type Regroup,
  type Regrouping,
  type RegroupOptions,
  resolveGroupingChoice,
} from '../../core/storage/regroup/regrouping.js';
import { regroupFolder } from '../../core/storage/regroup-folder.js';

/** Which folder regroups. */
export interface FolderRegroupingOptions {
  directory: string;
  /** The collector where none is named, named in the hint where the folder is in use. */
  defaultUrl: string;
  onFault: (fault: Error) => void;
  /** Called while the index is brought up to date before the work begins. */
  onOpening?: ((progress: ReplayProgress) => void) | undefined;
}

/** Regroups a folder that no collector is using; each call takes the writer lock for as long as it lasts. Faults besides: `FOLDER_NOT_FOUND`, `STORE_LOCKED`. */
export function createFolderRegrouping({ defaultUrl, ...folder }: FolderRegroupingOptions): Regrouping {
  const opened = async <Result>(
    signal: AbortSignal | undefined,
    work: Parameters<typeof regroupFolder<Result>>[1],
  ): Promise<Result> => {
    const { onOpening, ...rest } = folder;
    const options = { ...rest, ...(onOpening && { onOpening }), ...(signal && { signal }) };
    return await regroupFolder(options, work).catch((error: unknown) => {
      throw withUrlHint(error, defaultUrl);
    });
  };

  const grouped = <Result>(
    choice: GroupingChoice,
    { signal }: RegroupOptions,
    work: (regroup: Regroup, settings: ReturnType<typeof resolveGroupingChoice>) => Promise<Result>,
  ) =>
    opened(signal, async (regroup, { grouper }) => {
      const settings = resolveGroupingChoice(choice, grouper.settings);
      const grouping = describeGrouping(settings, grouper.settings);
      return { grouping, result: await work(regroup, settings) };
    });

  return {
    defaultRulesSource: 'the folder, as it was last opened',
    preview: (choice, options = {}) =>
      grouped(choice, options, (regroup, settings) => regroup.preview(settings, options)),
    apply: (choice, options = {}) => grouped(choice, options, (regroup, settings) => regroup.apply(settings, options)),
    rollBack: (options = {}) => opened(options.signal, (regroup) => regroup.rollBack(options)),
    close: async () => undefined,
  };
}

function withUrlHint(error: unknown, url: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'STORE_LOCKED') return error;
  const sentence = `${error.message} Or let the collector that uses it regroup: --url ${url} instead of --data.`;
  return new Fault(error.code, sentence, { cause: error, retryable: error.retryable });
}
