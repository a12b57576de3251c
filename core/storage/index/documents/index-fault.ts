import { Fault } from '../../../event/fault.js';
import { manifestPath } from './index-folder.js';

/**
 * `INDEX_UNUSABLE`: a document of the index that is missing where the manifest names it, torn, foreign, of another version,
 * or at odds with the rest. The index is derived, so the caller sets it aside and rebuilds.
 */
export function indexUnusable(path: string, problem: string, cause?: unknown): Fault {
  const message = `The index document ${path} ${problem}. The index is derived: it is set aside and rebuilt when the folder is next opened for writing.`;
  return new Fault('INDEX_UNUSABLE', message, cause === undefined ? {} : { cause });
}

/** `INDEX_UNUSABLE`: the index counts events that the record does not hold, or dates otherwise, as after a power loss that took what was not synced. */
export function indexAheadOfRecord(root: string): Fault {
  return indexUnusable(
    manifestPath(root),
    'names documents that count events which the record does not hold, or holds with other times',
  );
}

/** Whether a failure means that the index on disk cannot be used as it is. */
export function isIndexUnusable(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'INDEX_UNUSABLE';
}
