import { hash } from 'node:crypto';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import { issueIdOf } from '../../../../core/issues/issue-id.js';
import type { IssueHeader } from '../../../../core/storage/index/content/issue-state.js';

/** Returns an issue header that is different for every number. */
export function issueHeader(number: number): IssueHeader {
  const fingerprint = hash('sha256', `${number}`, 'hex').slice(0, 32) as FingerprintValue;
  const [app, service] = ['shop', 'cart'];
  return {
    issueId: issueIdOf({ app, service, fingerprint }),
    fingerprint,
    fingerprintVersion: 1,
    app,
    service,
    title: `Issue ${number}`,
    culprit: null,
    errorName: 'Error',
    message: '',
    firstReceivedAtMicros: number,
    firstRelease: '',
  };
}
