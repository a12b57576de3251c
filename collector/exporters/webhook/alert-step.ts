import type { FailureReader, IssueChange } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import { type Alert, type AlertCounts, type AlertKind, countAlerts, NO_ALERTS, totalOf } from './alert.js';
import type { AlertQueue, AlertStep } from './alert-queue.js';

export interface StepOptions {
  readonly kinds: ReadonlySet<AlertKind>;
  readonly queue: Pick<AlertQueue, 'isSpikeReported' | 'room'>;
  readonly reader: Pick<FailureReader, 'listEvents'>;
}

/** Collects the alerts of the changes between two positions of the feed. */
export class AlertStepBuilder {
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

  /** Whether the step must be saved. */
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

  build(cursor: string): AlertStep {
    const [spikesBegun, spikesEnded] = [this.#spikesBegun, this.#spikesEnded];
    return { cursor, alerts: this.#alerts, beyond: this.#beyond, spikesBegun, spikesEnded };
  }

  async #report(kind: AlertKind, issue: Alert['issue']): Promise<void> {
    if (this.#alerts.length >= this.#options.queue.room) {
      this.#beyond = countAlerts([{ kind }], this.#beyond);
      return;
    }
    const eventId = await this.#latestEvent(issue.issue_id);
    this.#alerts.push({ kind, at: new Date().toISOString(), issue, eventId });
  }

  /** Returns null on failure, so that the alert is still sent. */
  async #latestEvent(issueId: IssueId): Promise<Alert['eventId']> {
    try {
      const page = await this.#options.reader.listEvents(issueId, { limit: 1 });
      return page?.events[0]?.event_id ?? null;
    } catch {
      return null;
    }
  }
}
