import { hash } from 'node:crypto';
import type { FingerprintValue, IssueId } from '../../../../core/event/ids.js';
import type { IssueHeader } from '../../../../core/storage/index/content/issue-state.js';

/** Returns an issue header that is different for every number. */
export function issueHeader(number: number): IssueHeader {
  return {
    issueId: `issue-${number}` as IssueId,
    fingerprint: hash('sha256', `${number}`, 'hex').slice(0, 32) as FingerprintValue,
    fingerprintVersion: 1,
    app: 'shop',
    service: 'cart',
    title: `Issue ${number}`,
    culprit: null,
    errorName: 'Error',
    message: '',
    firstReceivedAtMicros: number,
  };
}
