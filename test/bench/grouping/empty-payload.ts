import type { RawPayload } from '../../../core/event/raw-payload.js';

/** An event without content. */
export const EMPTY_PAYLOAD: RawPayload = {
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
