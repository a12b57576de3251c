import { cutText } from './cut-text.js';
import { extraOfWeight, sampledOf } from './event-weight.js';
import type { RawPayload } from './raw-payload.js';

/** UTF-16 units of a message that lists show, and that the index therefore keeps. */
const MAX_LISTED_MESSAGE = 512;

/** The part of a message that lists show. */
export function listedMessage(message: string): string {
  return cutText(message, MAX_LISTED_MESSAGE);
}

/** What is still asked of a payload once its raw line is encoded and its fingerprint computed: what the index counts and shows in lists. */
export type GroupedPayload = Pick<
  RawPayload,
  | 'app'
  | 'env'
  | 'error_name'
  | 'extra'
  | 'level'
  | 'message'
  | 'release'
  | 'service'
  | 'stack'
  | 'status_code'
  | 'timestamp'
  | 'user_id'
>;

/** The payload without what is large: of the stack one unit is left, which tells that there is one, and of extra for how many events it counts. */
export function groupedPayload(payload: RawPayload): GroupedPayload {
  const { app, env, error_name, extra, level, message, release, service, stack, status_code, timestamp, user_id } =
    payload;
  return {
    app,
    env,
    error_name,
    extra: extraOfWeight(sampledOf(extra)),
    level,
    message: listedMessage(message),
    release,
    service,
    stack: stack === null ? null : stack.slice(0, 1),
    status_code,
    timestamp,
    user_id,
  };
}
