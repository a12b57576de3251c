import type { Logger } from 'pino';
import type { FailureChanges, FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { AlertBook } from './alert-book.js';
import { GrowingStep, type StepOptions } from './alert-step.js';
import { spikingNow } from './watch-spikes.js';

/** How changes are watched. */
export interface WatchChangesOptions extends StepOptions {
  readonly changes: FailureChanges;
  readonly reader: Pick<FailureReader, 'listIssues' | 'listEvents'>;
  readonly book: AlertBook;
  /** Absent: all issues. */
  readonly query: string | undefined;
  readonly logger: Logger;
  readonly stop: AbortSignal;
  /** Makes what the book took durable; never rejects. */
  readonly save: () => Promise<void>;
  /** Called when there is something to tell. */
  readonly onAlerts: () => void;
  /** Called when it has heard of everything so far. */
  readonly onCaughtUp: () => void;
}

/** A place of the feed at which nothing is told is made durable as often at most. */
const SAVE_INTERVAL_MS = 10_000;

/** Turns changes into alerts until it is told to stop. Rejects with what the feed does; the next call goes on at the same place. */
export async function watchChanges(options: WatchChangesOptions): Promise<void> {
  try {
    await watchFromCursor(options);
  } catch (error) {
    // One that another version wrote: a beginning like any other.
    if (!(error instanceof Fault && error.code === 'CURSOR_INVALID')) throw error;
    options.logger.warn('where it was cannot be read any more: alerts begin from now on');
    await beginNow(options);
    await watchFromCursor(options);
  }
}

/** Where the feed stands now becomes the beginning. */
export async function beginNow(options: WatchChangesOptions): Promise<void> {
  for await (const change of options.changes.changes({ signal: options.stop })) {
    if (change.kind === 'caught_up') return await beginAt(change.cursor, options);
  }
}

async function watchFromCursor(options: WatchChangesOptions): Promise<void> {
  const { changes, book, query, logger, stop } = options;
  let step = new GrowingStep(options);
  let savedAtMs = performance.now();
  const after = book.cursor;
  for await (const change of changes.changes({
    ...(query !== undefined && { query }),
    ...(after !== undefined && { after }),
    signal: stop,
  })) {
    // A step that is cut comes whole after the next start.
    if (stop.aborted) return;
    if ('issue' in change) {
      await step.add(change);
    } else if (change.kind === 'reset') {
      logger.warn('the issues were grouped anew, or what it knew was removed: alerts begin from now on');
      await beginAt(change.cursor, options);
    } else {
      // Only whole steps: places inside of one may stand before issues that were told.
      const { isNews, hasAlerts } = step;
      options.onCaughtUp();
      book.take(step.endAt(change.cursor));
      step = new GrowingStep(options);
      if (!isNews && performance.now() - savedAtMs < SAVE_INTERVAL_MS) continue;
      savedAtMs = performance.now();
      await options.save();
      if (hasAlerts) options.onAlerts();
    }
  }
}

/** What spikes by then began to before, and is not told. */
async function beginAt(cursor: string, options: WatchChangesOptions): Promise<void> {
  options.book.beginAt(cursor, options.kinds.has('spiking') ? await spikingNow(options.reader) : []);
  await options.save();
}
