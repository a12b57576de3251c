import type { FailureReader, IssueChange } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import { type Alert, type AlertCounts, type AlertKind, countAlerts, NO_ALERTS, totalOf } from './alert.js';
import type { AlertBook, AlertStep } from './alert-book.js';

/** What decides which changes are told. */
export interface StepOptions {
  /** What is told. */
  readonly kinds: ReadonlySet<AlertKind>;
  readonly book: Pick<AlertBook, 'isSpikeTold' | 'room'>;
  readonly reader: Pick<FailureReader, 'listEvents'>;
}

/** What comes of the changes between two places of the feed. */
export class GrowingStep {
  readonly #options: StepOptions;
  readonly #alerts: Alert[] = [];
  #beyond: AlertCounts = NO_ALERTS;
  readonly #spikesBegun = new Set<IssueId>();
  readonly #spikesEnded = new Set<IssueId>();

  constructor(options: StepOptions) {
    this.#options = options;
  }

  get hasAlerts(): boolean {
    return this.#alerts.length > 0 || totalOf(this.#beyond) > 0;
  }

  /** Whether there is anything to remember. */
  get isNews(): boolean {
    return this.hasAlerts || this.#spikesBegun.size + this.#spikesEnded.size > 0;
  }

  async add({ kind, issue }: IssueChange): Promise<void> {
    const { kinds, book } = this.#options;
    if (kind !== 'changed' && kinds.has(kind)) await this.#tell(kind, issue);
    if (!kinds.has('spiking')) return;
    const { issue_id: issueId, spiking, status } = issue;
    const isTold = book.isSpikeTold(issueId) || this.#spikesBegun.has(issueId);
    if (!spiking && isTold) this.#spikesEnded.add(issueId);
    // Ignored issues do not alert.
    if (!spiking || isTold || status === 'ignored') return;
    this.#spikesBegun.add(issueId);
    await this.#tell('spiking', issue);
  }

  /** What it has come to at a place. */
  endAt(cursor: string): AlertStep {
    const [spikesBegun, spikesEnded] = [this.#spikesBegun, this.#spikesEnded];
    return { cursor, alerts: this.#alerts, beyond: this.#beyond, spikesBegun, spikesEnded };
  }

  async #tell(kind: AlertKind, issue: Alert['issue']): Promise<void> {
    if (this.#alerts.length >= this.#options.book.room) {
      this.#beyond = countAlerts([{ kind }], this.#beyond);
      return;
    }
    const eventId = await this.#latestEvent(issue.issue_id);
    this.#alerts.push({ kind, at: new Date().toISOString(), issue, eventId });
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
