import type { RawPayload } from '../../core/event/raw-payload.js';
import { inOurOrder, sampleEvent } from './sample-events.js';
import { word } from './word.js';

/** One issue in so many is made of events of full size, so that a load of such events meets issues all over the index. */
const FULL_SIZE_EVERY = 5;
/** One event in so many belongs to issue 0, which is the frequent one. */
const FREQUENT_EVERY = 20;
/** Coprime to any number of issues that is a power of ten, so that an issue's events lie far apart. */
const STRIDE = 7919;

const LEVELS = ['error', 'error', 'error', 'warning', 'critical', 'info'];
const NAMES = ['TypeError', 'UpstreamError', 'TimeoutError', 'ValidationError', 'PanicError'];

/** Which issue an event of the mass belongs to: first every issue once, then far apart, and every twentieth the frequent one. */
export function kindOf(serial: number, issues: number): number {
  if (serial < issues) return serial;
  return serial % FREQUENT_EVERY === 0 ? 0 : (serial * STRIDE) % issues;
}

/** An event of the mass: of full size for every fifth issue, else of about 500 bytes. */
export function massEvent(kind: number, serial: number): RawPayload {
  return kind % FULL_SIZE_EVERY === 0 ? sampleEvent(kind, serial) : smallEvent(kind, serial);
}

function smallEvent(kind: number, serial: number): RawPayload {
  const name = NAMES[kind % NAMES.length] ?? '';
  const place = word(kind);
  return {
    app: 'shop',
    env: kind % 4 === 0 ? 'staging' : 'production',
    error_name: name,
    extra: null,
    level: LEVELS[kind % LEVELS.length] ?? null,
    message: `could not ${word(kind % 97)} the ${place} of order ${serial}`,
    method: 'GET',
    release: `v2.${kind % 12}.0`,
    request_id: null,
    route: `/api/v1/${place}`,
    service: `service-${word(kind % 20)}`,
    session_id: null,
    stack: `${name}: failed\n    at ${place} (/srv/shop/src/${place}.js:12:7)`,
    status_code: null,
    tags: {},
    timestamp: new Date(1_795_000_000_000 + serial).toISOString(),
    user_id: null,
  };
}

/** Events of full size as an NDJSON body, of issues that lie all over those of the mass. */
export function spreadBody(first: number, count: number, issues: number): Buffer {
  const fullSize = Math.ceil(issues / FULL_SIZE_EVERY);
  const lines = Array.from({ length: count }, (_, index) => {
    const serial = first + index;
    return inOurOrder(sampleEvent(((serial * STRIDE) % fullSize) * FULL_SIZE_EVERY, serial));
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}
