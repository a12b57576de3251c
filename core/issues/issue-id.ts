import { hash } from 'node:crypto';
import type { FingerprintValue, IssueId } from '../event/ids.js';

/** UUIDv5 of `faultline.issue` in the URL namespace of RFC 9562. Never change it: every issue would get a new id. */
const ISSUE_NAMESPACE = Buffer.from('ed1ff3b782025f37a9bfee2850309e6a', 'hex');

/** The hexadecimal digit of the UUID variant, by two bits of the hash. */
const VARIANT_DIGITS = '89ab';

/** UUIDv5 of a JSON array, so that keys cannot collide. Computed here: a rebuild needs one per issue, and the uuid package is slower. */
export function issueIdOf(key: {
  readonly app: string;
  readonly service: string;
  readonly fingerprint: FingerprintValue;
}): IssueId {
  const name = Buffer.from(JSON.stringify([key.app, key.service, key.fingerprint]));
  const hex = hash('sha1', Buffer.concat([ISSUE_NAMESPACE, name]), 'hex');
  const variant = VARIANT_DIGITS.charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}` as IssueId;
}
