import type { ChangeOptions, FailureChanges, IssueChange } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';

/** Milliseconds in which a feed must tell its position where no change is waited for: a server may send nothing but comments. */
const POSITION_MS = 10_000;

interface CollectedChanges {
  readonly changes: readonly IssueChange[];
  readonly cursor: string;
  readonly hasMore: boolean;
  readonly isReset: boolean;
}

/** Collects at most `limit` changes, and waits for the first one up to `waitMs`; the next call goes on at `cursor`, at once if it `hasMore`; `isReset`: earlier ones are lost. Throws as `FailureChanges` does. */
export async function collectChanges(
  feed: FailureChanges,
  { limit, waitMs, signal, ...options }: ChangeOptions & { limit: number; waitMs: number; signal: AbortSignal },
): Promise<CollectedChanges> {
  const changes: IssueChange[] = [];
  let cursor = options.after ?? '';
  let isReset = false;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(waitMs > 0 ? waitMs : POSITION_MS)]);
  for await (const step of feed.changes({ ...options, signal: ended })) {
    cursor = step.cursor;
    if ('issue' in step) {
      changes.push(step);
      if (changes.length === limit) return { changes, cursor, hasMore: true, isReset };
    } else if (step.kind === 'reset') isReset = true;
    else if (changes.length > 0 || isReset || waitMs === 0) break;
  }
  if (cursor === '' && !signal.aborted) {
    throw new Fault('COLLECTOR_UNREACHABLE', 'The collector did not tell its position in time.', { retryable: true });
  }
  return { changes, cursor, hasMore: false, isReset };
}
