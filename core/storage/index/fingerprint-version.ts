import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';

const ANY_PAYLOAD: RawPayload = {
  app: '',
  env: '',
  error_name: '',
  extra: null,
  level: null,
  message: '',
  method: null,
  release: null,
  request_id: null,
  route: '',
  service: '',
  session_id: null,
  stack: null,
  status_code: null,
  tags: {},
  timestamp: null,
  user_id: null,
};

/** The version that a grouping function stamps on its results: asked of the function itself, so that the two cannot disagree. */
export function fingerprintVersionOf(fingerprint: (payload: RawPayload) => Fingerprint): number {
  return fingerprint(ANY_PAYLOAD).version;
}
