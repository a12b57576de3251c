import { v5 } from 'uuid';
import type { FingerprintValue, IssueId } from '../event/ids.js';

/** UUIDv5 of `faultline.issue` in the URL namespace of RFC 9562. Never change it: every issue would get a new id. */
const ISSUE_NAMESPACE = 'ed1ff3b7-8202-5f37-a9bf-ee2850309e6a';

/** What tells one issue from another (design section 4). */
export interface IssueKey {
  readonly app: string;
  readonly service: string;
  readonly fingerprint: FingerprintValue;
}

/**
 * The id of the issue to which an event belongs: UUIDv5 of app, service and fingerprint.
 * The three are joined as a JSON array, so that no two keys give the same text.
 */
export function issueIdOf(key: IssueKey): IssueId {
  return v5(JSON.stringify([key.app, key.service, key.fingerprint]), ISSUE_NAMESPACE) as IssueId;
}
