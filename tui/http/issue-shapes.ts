import type { FingerprintBasis } from '../../core/fingerprint/fingerprint.js';
import type { IssueCounts, IssueDetail, IssuePage, IssueSummary } from '../../core/reader.js';
import { isBoolean, isNumber, isOneOf, isString, listOf, recordOf, type Shape } from './check.js';
import { isFingerprint, isIssueId, isJsonValue, isText } from './value-checks.js';

const ISSUE_SUMMARY: Shape<IssueSummary> = {
  issue_id: isIssueId,
  fingerprint: isFingerprint,
  app: isString,
  service: isString,
  title: isString,
  culprit: isText,
  error_name: isString,
  message: isString,
  level: isString,
  type: isString,
  status: isOneOf('open', 'resolved', 'ignored'),
  regressed: isBoolean,
  is_new: isBoolean,
  spiking: isBoolean,
  assignee: isText,
  snooze: isText,
  resolved_in: isText,
  merged: listOf(isIssueId),
  count: isNumber,
  sampled: isNumber,
  removed_events: isNumber,
  users: isNumber,
  first_seen: isString,
  last_seen: isString,
  environments: listOf(isString),
  releases: listOf(isString),
  trend: listOf(isNumber),
};

const isBasis = recordOf<FingerprintBasis>({
  version: isNumber,
  rule: isString,
  parts: listOf(recordOf({ part: isString, used: isBoolean, value: isJsonValue, reason: isString })),
});

/** `GET /issues`. */
export const isIssuePage = recordOf<IssuePage>({
  issues: listOf(recordOf(ISSUE_SUMMARY)),
  next_cursor: isText,
  total: isNumber,
});

/** `GET /issues/counts`. */
export const isIssueCounts = recordOf<IssueCounts>({
  all: isNumber,
  open: isNumber,
  new: isNumber,
  regressed: isNumber,
  ignored: isNumber,
  resolved: isNumber,
  spiking: isNumber,
});

/** `GET /issues/{issue_id}`. */
export const isIssueDetail = recordOf<IssueDetail>({
  ...ISSUE_SUMMARY,
  fingerprints: listOf(isFingerprint),
  fingerprint_version: isNumber,
  basis: isBasis,
  history: listOf(
    recordOf({
      id: isString,
      issue_id: isIssueId,
      at: isString,
      action: isString,
      actor: isText,
      detail: isText,
      reason: isText,
      undone: isBoolean,
    }),
  ),
  related: listOf(isIssueId),
});
