import type { IssueDetail } from '../../../generated/reader-answers.js';
import type { FingerprintBasis } from '../../fingerprint/fingerprint.js';
import { issueHistory } from '../../issues/issue-history.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from './issue-lifecycles.js';
import { summarizeIssue } from './issue-summary.js';

const MAX_RELATED = 32;

/** The basis of an issue none of whose events can be read. */
export function unknownBasis({ fingerprintVersion }: IssueState): FingerprintBasis {
  return { version: fingerprintVersion, rule: 'unknown', parts: [] };
}

/** An issue in full, or the group of a merged one; `basis` is of the issue that stays. */
export function describeIssue(issue: IssueState, basis: FingerprintBasis, lives: IssueLifecycles): IssueDetail {
  const members = lives.membersOf(issue);
  const [stays = issue] = members;
  const related = lives.issues.related(stays, MAX_RELATED + members.length).filter((one) => !members.includes(one));
  return {
    ...summarizeIssue(stays, lives),
    fingerprints: members.map(({ fingerprint }) => fingerprint),
    fingerprint_version: stays.fingerprintVersion,
    basis,
    history: issueHistory(lives.actionsOf(stays), (actionId) => lives.actions.isUndone(actionId)),
    related: related.slice(0, MAX_RELATED).map(({ issueId }) => issueId),
  };
}
