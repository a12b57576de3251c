import type { RawPayload } from '../../core/event/raw-payload.js';
import { inRawLineOrder, sampleEvent } from './sample-events.js';
import { word } from './word.js';

/** Every fifth issue has events of full size, so that a load of such events reaches issues in the whole index. */
const FULL_SIZE_EVERY = 5;
/** Every twentieth event belongs to issue 0, the frequent one. */
const FREQUENT_EVERY = 20;
/** Coprime to powers of ten, so that the events of an issue are far apart. */
const STRIDE = 7919;

const LEVELS = ['error', 'error', 'error', 'warning', 'critical', 'info'];
const NAMES = ['TypeError', 'UpstreamError', 'TimeoutError', 'ValidationError', 'PanicError'];

/** Returns the issue of an event in the filled store: first each issue once, then far apart, every twentieth the frequent one. */
export function kindOf(serial: number, issues: number): number {
  if (serial < issues) return serial;
  return serial % FREQUENT_EVERY === 0 ? 0 : (serial * STRIDE) % issues;
}

/** Returns an event of the filled store: of full size for every fifth issue, else of about 500 bytes. */
export function filledStoreEvent(kind: number, serial: number): RawPayload {
  return kind % FULL_SIZE_EVERY === 0 ? sampleEvent(kind, serial) : smallEvent(kind, serial);
}

function smallEvent(kind: number, serial: number): RawPayload {
  const errorName = NAMES[kind % NAMES.length] ?? '';
  const name = word(kind);
  return {
    app: 'shop',
    env: kind % 4 === 0 ? 'staging' : 'production',
    error_name: errorName,
    extra: null,
    level: LEVELS[kind % LEVELS.length] ?? null,
    message: `could not ${word(kind % 97)} the ${name} of order ${serial}`,
    method: 'GET',
    release: `v2.${kind % 12}.0`,
    request_id: null,
    route: `/api/v1/${name}`,
    service: `service-${word(kind % 20)}`,
    session_id: null,
    stack: `${errorName}: failed\n    at ${name} (/srv/shop/src/${name}.js:12:7)`,
    status_code: null,
    tags: {},
    timestamp: new Date(1_795_000_000_000 + serial).toISOString(),
    user_id: null,
  };
}

/** Encodes events of full size as an NDJSON body, spread over the issues of the filled store. */
export function spreadBody(first: number, count: number, issues: number): Buffer {
  const fullSize = Math.ceil(issues / FULL_SIZE_EVERY);
  const lines = Array.from({ length: count }, (_, index) => {
    const serial = first + index;
    return inRawLineOrder(sampleEvent(((serial * STRIDE) % fullSize) * FULL_SIZE_EVERY, serial));
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}
