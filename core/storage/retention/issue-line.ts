import { isFingerprint, toIssueId } from '../../event/ids.js';
import { normalizeLevel } from '../../event/level.js';
import type { IssueRemoval } from '../index/content/removal.js';
import type { DocumentFields } from '../index/documents/document-fields.js';
import { isUserSketch, type UserSketch } from '../index/segments/user-sketch.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';

/** Returns the fields of the ledger line for an issue that lost events. */
export function encodeIssueLine(issue: IssueRemoval): object {
  return {
    kind: 'issue',
    issue_id: issue.issueId,
    removed: issue.removed,
    ...(issue.removedSampled !== 0 && { removed_sampled: issue.removedSampled }),
    ...(issue.removedRepeated !== 0 && { removed_repeated: issue.removedRepeated }),
    fingerprint: issue.fingerprint,
    fingerprint_version: issue.fingerprintVersion,
    app: issue.app,
    service: issue.service,
    title: issue.title,
    culprit: issue.culprit,
    error_name: issue.errorName,
    message: issue.message,
    level: issue.level,
    type: issue.type,
    first_seen_ms: issue.firstSeenMs,
    first_seen_nanos: issue.firstSeenNanos,
    last_seen_ms: issue.lastSeenMs,
    last_seen_nanos: issue.lastSeenNanos,
    first_received_at: formatMicros(issue.firstReceivedAtMicros),
    first_release: issue.firstRelease,
    last_received_at: formatMicros(issue.lastReceivedAtMicros),
    environments: issue.environments,
    releases: issue.releases,
    releases_received_at: issue.releasesReceivedAtMicros,
    releases_first_received_at: issue.releasesFirstReceivedAtMicros,
    hours: issue.hours,
    users: issue.users,
  };
}

/** Decodes fields of `encodeIssueLine`; throws a Fault if they are invalid. */
export function decodeIssueLine(fields: DocumentFields): IssueRemoval {
  const issueId = toIssueId(fields.text('issue_id'));
  if (issueId === undefined) throw fields.unusable('issue_id');
  const fingerprint = fields.text('fingerprint');
  if (!isFingerprint(fingerprint)) throw fields.unusable('fingerprint');
  const releases = fields.texts('releases');
  // Lines of older versions say nothing of the first events.
  const isOld = !fields.has('first_release');
  return {
    issueId,
    fingerprint,
    fingerprintVersion: fields.count('fingerprint_version'),
    removed: fields.count('removed'),
    ...rareCounts(fields),
    app: fields.text('app'),
    service: fields.text('service'),
    title: fields.text('title'),
    culprit: fields.textOrNull('culprit'),
    errorName: fields.text('error_name'),
    message: fields.text('message'),
    level: normalizeLevel(fields.text('level')),
    type: fields.text('type'),
    firstSeenMs: fields.integer('first_seen_ms'),
    firstSeenNanos: fields.count('first_seen_nanos'),
    lastSeenMs: fields.integer('last_seen_ms'),
    lastSeenNanos: fields.count('last_seen_nanos'),
    firstReceivedAtMicros: parseMicrosField(fields, 'first_received_at'),
    lastReceivedAtMicros: parseMicrosField(fields, 'last_received_at'),
    firstRelease: isOld ? '' : fields.text('first_release'),
    environments: fields.texts('environments'),
    releases,
    releasesReceivedAtMicros: fields.integers('releases_received_at', releases.length),
    releasesFirstReceivedAtMicros: isOld
      ? releases.map(() => 0)
      : fields.integers('releases_first_received_at', releases.length),
    hours: fields.integers('hours'),
    users: userSketch(fields),
  };
}

/** Both are absent if they are 0. Lines of older versions hold their difference as `removed_sampled`. */
function rareCounts(fields: DocumentFields): Pick<IssueRemoval, 'removedSampled' | 'removedRepeated'> {
  const sampled = fields.has('removed_sampled') ? fields.integer('removed_sampled') : 0;
  const repeated = fields.has('removed_repeated') ? fields.count('removed_repeated') : 0;
  return { removedSampled: Math.max(0, sampled), removedRepeated: repeated + Math.max(0, -sampled) };
}

function userSketch(fields: DocumentFields): UserSketch {
  const hashes = fields.integers('users');
  if (!isUserSketch(hashes)) throw fields.unusable('users');
  return hashes;
}

/** Parses a timestamp in the format of `formatMicros`. */
export function parseMicrosField(fields: DocumentFields, key: string): number {
  const micros = parseMicros(fields.text(key));
  if (micros === undefined) throw fields.unusable(key);
  return micros;
}
