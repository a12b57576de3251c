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

/** Turns changes into alerts until stopped. Rejects with errors of the feed; the next call resumes. */
export async function watchChanges(options: WatchChangesOptions): Promise<void> {
  try {
    await watchFromCursor(options);
  } catch (error) {
    // A cursor of another version: start from now.
    if (!(error instanceof Fault && error.code === 'CURSOR_INVALID')) throw error;
    options.logger.warn('where it was cannot be read any more: alerts begin from now on');
    await beginNow(options);
    await watchFromCursor(options);
  }
}

/** Starts at the current position of the feed. */
export async function beginNow(options: WatchChangesOptions): Promise<void> {
  for await (const change of options.changes.changes({ signal: options.stop })) {
    if (change.kind === 'caught_up') return await beginAt(change.cursor, options);
  }
}

async function watchFromCursor(options: WatchChangesOptions): Promise<void> {
  const { changes, queue, query, logger, stop } = options;
  let step = beginStep(options);
  let savedAtMs = performance.now();
  const after = queue.cursor;
  for await (const change of changes.changes({
    ...(query !== undefined && { query }),
    ...(after !== undefined && { after }),
    signal: stop,
  })) {
    // An incomplete step is repeated after the next start.
    if (stop.aborted) return;
    if ('issue' in change) {
      await step.add(change);
    } else if (change.kind === 'reset') {
      logger.warn('the issues were regrouped, or its data was removed: alerts begin from now on');
      await beginAt(change.cursor, options);
    } else {
      // Save only between steps: a position inside one may precede reported issues.
      const { alerts, beyond, spikesBegun, spikesEnded } = step.changes;
      const hasAlerts = alerts.length > 0 || totalOf(beyond) > 0;
      const hasChanges = hasAlerts || spikesBegun.size + spikesEnded.size > 0;
      options.onCaughtUp();
      queue.apply({ cursor: change.cursor, ...step.changes });
      step = beginStep(options);
      if (!hasChanges && performance.now() - savedAtMs < SAVE_INTERVAL_MS) continue;
      savedAtMs = performance.now();
      await options.save();
      if (hasAlerts) options.onAlerts();
    }
  }
}

/** Current spikes started before and are not reported. */
async function beginAt(cursor: string, options: WatchChangesOptions): Promise<void> {
  options.queue.startAt(cursor, options.kinds.has('spiking') ? await spikingNow(options.reader) : []);
  await options.save();
}

function beginStep({ kinds, queue, reader }: WatchChangesOptions) {
  const alerts: Alert[] = [];
  let beyond: AlertCounts = NO_ALERTS;
  const spikesBegun = new Set<IssueId>();
  const spikesEnded = new Set<IssueId>();

  async function report(kind: AlertKind, issue: Alert['issue']): Promise<void> {
    if (alerts.length >= queue.room) {
      beyond = countAlerts([{ kind }], beyond);
      return;
    }
    // Without its event the alert is still sent.
    const page = await reader.listEvents(issue.issue_id, { limit: 1 }).catch(() => undefined);
    alerts.push({ kind, at: new Date().toISOString(), issue, eventId: page?.events[0]?.event_id ?? null });
  }

  return {
    async add({ kind, issue }: IssueChange): Promise<void> {
      if (kind !== 'changed' && kinds.has(kind)) await report(kind, issue);
      if (!kinds.has('spiking')) return;
      const { issue_id: issueId, spiking, status } = issue;
      const isReported = queue.isSpikeReported(issueId) || spikesBegun.has(issueId);
      if (!spiking && isReported) spikesEnded.add(issueId);
      // Ignored issues do not alert.
      if (!spiking || isReported || status === 'ignored') return;
      spikesBegun.add(issueId);
      await report('spiking', issue);
    },
    get changes(): Omit<AlertStep, 'cursor'> {
      return { alerts, beyond, spikesBegun, spikesEnded };
    },
  };
}
