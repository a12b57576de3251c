import type { Logger } from 'pino';
import type { FailureChanges, FailureReader, IssueChange } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { IssueId } from '../../../core/event/ids.js';
import { wait } from '../../component/until-done.js';
import { type Alert, type AlertCounts, type AlertKind, countAlerts, NO_ALERTS, totalOf } from './alert.js';
import type { AlertQueue, AlertStep } from './alert-queue.js';

const LOOK_INTERVAL_MS = 60_000;
const PAGE_LIMIT = 500;

/** Forgets ended spikes until stopped: only the clock ends them. Rejects with errors of the reader. */
export async function watchSpikes(
  reader: Pick<FailureReader, 'getIssue'>,
  queue: Pick<AlertQueue, 'spikes' | 'forgetSpike'>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    for (const issueId of queue.spikes) {
      if (stop.aborted) return;
      const issue = await reader.getIssue(issueId);
      if (issue?.spiking !== true) queue.forgetSpike(issueId);
    }
    await wait(LOOK_INTERVAL_MS, stop);
  }
}

async function spikingNow(reader: Pick<FailureReader, 'listIssues'>): Promise<IssueId[]> {
  const { issues } = await reader.listIssues({ query: 'is:spiking', limit: PAGE_LIMIT });
  return issues.map(({ issue_id: issueId }) => issueId);
}

/** How changes are watched. */
export interface WatchChangesOptions {
  readonly kinds: ReadonlySet<AlertKind>;
  readonly changes: FailureChanges;
  readonly reader: Pick<FailureReader, 'listIssues' | 'listEvents'>;
  readonly queue: AlertQueue;
  /** Absent: all issues. */
  readonly query: string | undefined;
  readonly logger: Logger;
  readonly stop: AbortSignal;
  /** Makes the queue durable; never rejects. */
  readonly save: () => Promise<void>;
  /** Called when alerts wait. */
  readonly onAlerts: () => void;
  /** Called when all changes so far are read. */
  readonly onCaughtUp: () => void;
}

const SAVE_INTERVAL_MS = 10_000;

/** Turns the changes of issues into alerts. */
export class ChangeWatcher {
  readonly #options: WatchChangesOptions;
  #step: ChangeStep;
  #savedAtMs = performance.now();

  constructor(options: WatchChangesOptions) {
    this.#options = options;
    this.#step = new ChangeStep(options);
  }

  /** Starts at the current position of the feed. */
  async beginNow(): Promise<void> {
    const { changes, stop } = this.#options;
    for await (const change of changes.changes({ signal: stop })) {
      if (change.kind === 'caught_up') return await this.#beginAt(change.cursor);
    }
  }

  /** Runs until stopped. Rejects with errors of the feed; the next call resumes. */
  async watch(): Promise<void> {
    try {
      await this.#watchFromCursor();
    } catch (error) {
      // A cursor of another version: start from now.
      if (!(error instanceof Fault && error.code === 'CURSOR_INVALID')) throw error;
      this.#options.logger.warn('where it was cannot be read any more: alerts begin from now on');
      await this.beginNow();
      await this.#watchFromCursor();
    }
  }

  async #watchFromCursor(): Promise<void> {
    const { changes, queue, query, logger, stop } = this.#options;
    this.#step = new ChangeStep(this.#options);
    const after = queue.cursor;
    const feed = changes.changes({
      ...(query !== undefined && { query }),
      ...(after !== undefined && { after }),
      signal: stop,
    });
    for await (const change of feed) {
      // An incomplete step is repeated after the next start.
      if (stop.aborted) return;
      if ('issue' in change) await this.#step.add(change);
      else if (change.kind === 'reset') {
        logger.warn('the issues were regrouped, or its data was removed: alerts begin from now on');
        await this.#beginAt(change.cursor);
      } else await this.#endStep(change.cursor);
    }
  }

  /** Current spikes started before and are not reported. */
  async #beginAt(cursor: string): Promise<void> {
    const { queue, kinds, reader, save } = this.#options;
    queue.startAt(cursor, kinds.has('spiking') ? await spikingNow(reader) : []);
    await save();
  }

  /** Saves only between steps: a position inside one may precede reported issues. */
  async #endStep(cursor: string): Promise<void> {
    const { queue, save, onAlerts, onCaughtUp } = this.#options;
    const { changes, hasAlerts, hasChanges } = this.#step;
    onCaughtUp();
    queue.apply({ cursor, ...changes });
    this.#step = new ChangeStep(this.#options);
    if (!hasChanges && performance.now() - this.#savedAtMs < SAVE_INTERVAL_MS) return;
    this.#savedAtMs = performance.now();
    await save();
    if (hasAlerts) onAlerts();
  }
}

/** The changes since the position that was applied last. */
class ChangeStep {
  readonly #options: Pick<WatchChangesOptions, 'kinds' | 'queue' | 'reader'>;
  readonly #alerts: Alert[] = [];
  /** Alerts for which the queue has no room. */
  #beyond: AlertCounts = NO_ALERTS;
  readonly #spikesBegun = new Set<IssueId>();
  readonly #spikesEnded = new Set<IssueId>();

  constructor(options: Pick<WatchChangesOptions, 'kinds' | 'queue' | 'reader'>) {
    this.#options = options;
  }

  get changes(): Omit<AlertStep, 'cursor'> {
    return {
      alerts: this.#alerts,
      beyond: this.#beyond,
      spikesBegun: this.#spikesBegun,
      spikesEnded: this.#spikesEnded,
    };
  }

  get hasAlerts(): boolean {
    return this.#alerts.length > 0 || totalOf(this.#beyond) > 0;
  }

  get hasChanges(): boolean {
    return this.hasAlerts || this.#spikesBegun.size + this.#spikesEnded.size > 0;
  }

  async add({ kind, issue }: IssueChange): Promise<void> {
    const { kinds, queue } = this.#options;
    if (kind !== 'changed' && kinds.has(kind)) await this.#report(kind, issue);
    if (!kinds.has('spiking')) return;
    const { issue_id: issueId, spiking, status } = issue;
    const isReported = queue.isSpikeReported(issueId) || this.#spikesBegun.has(issueId);
    if (!spiking && isReported) this.#spikesEnded.add(issueId);
    // Ignored issues do not alert.
    if (!spiking || isReported || status === 'ignored') return;
    this.#spikesBegun.add(issueId);
    await this.#report('spiking', issue);
  }

  async #report(kind: AlertKind, issue: Alert['issue']): Promise<void> {
    const { queue, reader } = this.#options;
    if (this.#alerts.length >= queue.room) {
      this.#beyond = countAlerts([{ kind }], this.#beyond);
      return;
    }
    // Without its event the alert is still sent.
    const page = await reader.listEvents(issue.issue_id, { limit: 1 }).catch(() => undefined);
    this.#alerts.push({ kind, at: new Date().toISOString(), issue, eventId: page?.events[0]?.event_id ?? null });
  }
}
