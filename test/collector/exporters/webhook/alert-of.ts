import type { Alert, AlertKind } from '../../../../collector/exporters/webhook/alert.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import { toEventId, toIssueId } from '../../../../core/event/ids.js';
import type { IssueSummary } from '../../../../generated/reader-answers.js';

/** Builds an alert about the nth issue. */
export function alertOf(kind: AlertKind, nth: number, changes: Partial<IssueSummary> = {}): Alert {
  const id = `00000000-0000-4000-8000-${nth.toString(16).padStart(12, '0')}`;
  const [issueId, eventId] = [toIssueId(id), toEventId(id)];
  if (issueId === undefined || eventId === undefined) throw new Error('the form of ids has changed');
  const issue: IssueSummary = {
    issue_id: issueId,
    fingerprint: 'f'.repeat(32) as FingerprintValue,
    app: 'shop',
    service: 'api',
    title: `Failure ${nth}`,
    culprit: null,
    error_name: 'Failure',
    message: `number ${nth}`,
    level: 'error',
    type: 'error',
    status: 'open',
    regressed: kind === 'regressed',
    is_new: kind === 'new',
    spiking: kind === 'spiking',
    assignee: null,
    snooze: null,
    snooze_left: null,
    resolved_in: null,
    state_at: null,
    state_by: null,
    merged: [],
    count: 3,
    sampled: 0,
    removed_events: 0,
    users: 2,
    first_seen: '2026-11-20T10:11:12.123456789Z',
    last_seen: '2026-11-20T11:11:12.123456789Z',
    environments: ['production'],
    releases: ['v1', 'v2'],
    first_release: 'v1',
    last_release: 'v2',
    regressed_in: null,
    trend: [0, 3],
    ...changes,
  };
  return { kind, at: '2026-11-20T11:11:13.000Z', issue, eventId };
}
