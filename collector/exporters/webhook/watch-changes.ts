import type { Logger } from 'pino';
import type { IssueId } from '../../../core/event/ids.js';
import type { FailureChanges, FailureReader, IssueChange } from '../../../core/reader.js';
import { type Alert, type AlertCounts, type AlertKind, countAlerts, NO_ALERTS, totalOf } from './alert.js';
import type { AlertBook } from './alert-book.js';

/** How changes are watched. */
export interface WatchOptions {
  readonly changes: FailureChanges;
  readonly reader: Pick<FailureReader, 'listIssues' | 'listEvents' | 'getIssue'>;
  readonly book: AlertBook;
  /** What is told. */
  readonly kinds: ReadonlySet<AlertKind>;
  /** Absent: all issues. */
  readonly query: string | undefined;
  readonly logger: Logger;
  readonly stop: AbortSignal;
  /** Makes what the book took durable; never rejects. */
  readonly save: () => Promise<void>;
  /** Called when there is something to tell. */
  readonly onAlerts: () => void;
}

/** A place of the feed at which nothing is told is made durable as often at most. */
const SAVE_INTERVAL_MS = 10_000;
/** The longest list that is read at once. */
const PAGE_LIMIT = 500;

/** Turns changes into alerts until it is told to stop. Rejects with what the feed does; the next call goes on at the same place. */
export async function watchChanges(options: WatchOptions): Promise<void> {
  const { changes, book, query, logger, stop } = options;
  let step = new Step(options);
  let savedAtMs = performance.now();
  const after = book.cursor;
  for await (const change of changes.changes({
    ...(query !== undefined && { query }),
    ...(after !== undefined && { after }),
    signal: stop,
  })) {
    if ('issue' in change) {
      await step.add(change);
    } else if (change.kind === 'reset') {
      logger.warn('the issues were grouped anew, or what it knew was removed: alerts begin from now on');
      await beginAt(change.cursor, options);
    } else {
      // Only whole steps: places inside of one may stand before issues that were told.
      const { alerts, beyond, spikesBegun, spikesEnded, isNews, hasAlerts } = step;
      book.take({ cursor: change.cursor, alerts, beyond, spikesBegun, spikesEnded });
      step = new Step(options);
      if (!isNews && performance.now() - savedAtMs < SAVE_INTERVAL_MS) continue;
      savedAtMs = performance.now();
      await options.save();
      if (hasAlerts) options.onAlerts();
    }
  }
}

/** Where the feed stands now becomes the beginning. */
export async function beginNow(options: WatchOptions): Promise<void> {
  for await (const change of options.changes.changes({ signal: options.stop })) {
    if (change.kind === 'caught_up') return await beginAt(change.cursor, options);
  }
}

/** What spikes by then began to before, and is not told. */
async function beginAt(cursor: string, options: WatchOptions): Promise<void> {
  options.book.beginAt(cursor, await spikingNow(options));
  await options.save();
}

async function spikingNow({ reader, kinds }: WatchOptions): Promise<IssueId[]> {
  if (!kinds.has('spiking')) return [];
  const { issues } = await reader.listIssues({ query: 'is:spiking', limit: PAGE_LIMIT });
  return issues.map(({ issue_id: issueId }) => issueId);
}

/** Forgets spikes that are over: no event says so, only the clock does. Rejects with what the reader does. */
export async function forgetEndedSpikes({
  reader,
  book,
  stop,
}: Pick<WatchOptions, 'reader' | 'book' | 'stop'>): Promise<void> {
  for (const issueId of book.spikes) {
    if (stop.aborted) return;
    const issue = await reader.getIssue(issueId);
    if (issue?.spiking !== true) book.forgetSpike(issueId);
  }
}

/** What comes of the changes between two places. */
class Step {
  readonly #options: WatchOptions;
  readonly alerts: Alert[] = [];
  beyond: AlertCounts = NO_ALERTS;
  readonly spikesBegun = new Set<IssueId>();
  readonly spikesEnded = new Set<IssueId>();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get hasAlerts(): boolean {
    return this.alerts.length > 0 || totalOf(this.beyond) > 0;
  }

  /** Whether there is anything to remember. */
  get isNews(): boolean {
    return this.hasAlerts || this.spikesBegun.size + this.spikesEnded.size > 0;
  }

  async add({ kind, issue }: IssueChange): Promise<void> {
    const { kinds, book } = this.#options;
    if (kind !== 'changed' && kinds.has(kind)) await this.#tell(kind, issue);
    if (!kinds.has('spiking')) return;
    const { issue_id: issueId, spiking, status } = issue;
    const isTold = book.isSpikeTold(issueId) || this.spikesBegun.has(issueId);
    if (!spiking && isTold) this.spikesEnded.add(issueId);
    // Whoever ignores an issue does not want to hear of it.
    if (!spiking || isTold || status === 'ignored') return;
    this.spikesBegun.add(issueId);
    await this.#tell('spiking', issue);
  }

  async #tell(kind: AlertKind, issue: Alert['issue']): Promise<void> {
    if (this.alerts.length >= this.#options.book.room) {
      this.beyond = countAlerts([{ kind }], this.beyond);
      return;
    }
    const eventId = await this.#latestEvent(issue.issue_id);
    this.alerts.push({ kind, at: new Date().toISOString(), issue, eventId });
  }

  /** An alert without it is better than none. */
  async #latestEvent(issueId: IssueId): Promise<Alert['eventId']> {
    try {
      const page = await this.#options.reader.listEvents(issueId, { limit: 1 });
      return page?.events[0]?.event_id ?? null;
    } catch {
      return null;
    }
  }
}
