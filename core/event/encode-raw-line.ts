import type { RawPayload } from './raw-payload.js';

/** The raw line of a payload: JSON with the 17 keys in alphabetical order, valid UTF-8, no newline. */
export function encodeRawLine(payload: RawPayload): Buffer {
  return Buffer.from(rawLineText(payload), 'utf8');
}

/** The raw line as a string, for callers that encode it in a turn of its own. */
export function rawLineText(payload: RawPayload): string {
  // Written out, because a processor may have built the payload in another order.
  const ordered: RawPayload = {
    app: payload.app,
    env: payload.env,
    error_name: payload.error_name,
    extra: payload.extra,
    level: payload.level,
    message: payload.message,
    method: payload.method,
    release: payload.release,
    request_id: payload.request_id,
    route: payload.route,
    service: payload.service,
    session_id: payload.session_id,
    stack: payload.stack,
    status_code: payload.status_code,
    tags: payload.tags,
    timestamp: payload.timestamp,
    user_id: payload.user_id,
  };
  return JSON.stringify(ordered);
}
