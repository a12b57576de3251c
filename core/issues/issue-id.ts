import { hash } from 'node:crypto';
import type { FingerprintValue, IssueId } from '../event/ids.js';

/** UUIDv5 of `faultline.issue` in the URL namespace of RFC 9562. Never change it: every issue would get a new id. */
const ISSUE_NAMESPACE = Buffer.from('ed1ff3b782025f37a9bfee2850309e6a', 'hex');

/** The digit that holds the variant, by the two bits of the hash that are kept. */
const VARIANT_DIGITS = '89ab';

/** What tells one issue from another (design section 4). */
export interface IssueKey {
  readonly app: string;
  readonly service: string;
  readonly fingerprint: FingerprintValue;
}

/**
 * The id of the issue to which an event belongs: UUIDv5 of app, service and fingerprint.
 * The three are joined as a JSON array, so that no two keys give the same text.
 * Written out because a rebuild makes one for every issue of every thread: the uuid package takes five times as long.
 */
export function issueIdOf(key: IssueKey): IssueId {
  const name = Buffer.from(JSON.stringify([key.app, key.service, key.fingerprint]));
  const hex = hash('sha1', Buffer.concat([ISSUE_NAMESPACE, name]), 'hex');
  const variant = VARIANT_DIGITS.charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}` as IssueId;
}
