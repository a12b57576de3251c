import { Fault } from '../../../event/fault.js';
import { manifestPath } from './index-folder.js';

/** `INDEX_UNUSABLE`: a document is missing, torn, foreign or contradicts others; the index is set aside and rebuilt. */
export function indexUnusable(path: string, problem: string, cause?: unknown): Fault {
  const message = `The index document ${path} ${problem}. The index is derived: it is set aside and rebuilt when the folder is next opened for writing.`;
  return new Fault('INDEX_UNUSABLE', message, cause === undefined ? {} : { cause });
}

/** `INDEX_UNUSABLE`: the index counts events that the record lacks or dates otherwise, for example after a power failure without fsync. */
export function indexAheadOfRecord(root: string): Fault {
  return indexUnusable(
    manifestPath(root),
    'names documents that count events which the record does not hold, or holds with other times',
  );
}

/** Returns the result of `work`, or `fallback` if it rejects with `INDEX_UNUSABLE`. */
export async function unlessUnusable<Result, Fallback>(
  work: () => Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  try {
    return await work();
  } catch (error) {
    if (isIndexUnusable(error)) return fallback;
    throw error;
  }
}

export function isIndexUnusable(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'INDEX_UNUSABLE';
}
