import { cutExtra } from './cut-json.js';
import { cutString } from './cut-string.js';
import { cutTags } from './cut-tags.js';
import { withCuts } from './faultline-part.js';
import type { PayloadLimits } from './payload-limits.js';
import type { RawPayload } from './raw-payload.js';
import type { Repairs } from './repairs.js';

/** A copy of the payload within the limits, its cuts recorded in `extra.faultline`, which must be Faultline's own by now. */
export function cutPayload(payload: RawPayload, limits: PayloadLimits, repairs: Repairs): RawPayload {
  const text = (key: string, value: string) => cutString(value, limits.maxStringLength, [key], repairs);
  const textOrNull = (key: string, value: string | null) => (value === null ? null : text(key, value));
  const stack = payload.stack;
  const cut: RawPayload = {
    app: text('app', payload.app),
    env: text('env', payload.env),
    error_name: text('error_name', payload.error_name),
    extra: cutExtra(payload.extra ?? {}, limits, repairs),
    level: textOrNull('level', payload.level),
    message: text('message', payload.message),
    method: textOrNull('method', payload.method),
    release: textOrNull('release', payload.release),
    request_id: textOrNull('request_id', payload.request_id),
    route: text('route', payload.route),
    service: text('service', payload.service),
    session_id: textOrNull('session_id', payload.session_id),
    stack: stack === null ? null : cutString(stack, limits.maxStackLength, ['stack'], repairs, 'max_stack_length'),
    status_code: payload.status_code,
    tags: cutTags(payload.tags, limits, repairs),
    timestamp: textOrNull('timestamp', payload.timestamp),
    user_id: textOrNull('user_id', payload.user_id),
  };
  return { ...cut, extra: withCuts(cut.extra ?? {}, repairs) };
}
