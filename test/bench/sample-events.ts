import { RAW_PAYLOAD_KEYS, type RawPayload } from '../../core/event/raw-payload.js';
import { word } from './word.js';

/** Returns an event of about 1.8 kB with 18 frames; `kind` decides its issue, `serial` all other fields that vary. */
export function sampleEvent(kind: number, serial: number): RawPayload {
  const name = word(kind);
  const frames = Array.from(
    { length: 18 },
    (_, depth) =>
      `    at Service${depth}.${depth === 0 ? name : `step${depth}`} (/srv/checkout/src/${depth === 0 ? name : `layer-${depth}`}/handler.js:${10 + (serial % 7)}:${5 + depth})`,
  );
  return {
    app: 'shop',
    env: 'production',
    error_name: 'UpstreamError',
    extra: { attempt: serial % 5, order: `o-${serial}`, cart: { lines: serial % 9, currency: 'EUR' } },
    level: 'error',
    message: `order ${serial} of customer ${serial * 7} failed after ${serial % 3000} ms`,
    method: 'POST',
    release: 'v2.4.1',
    request_id: `req-${serial.toString(16).padStart(12, '0')}`,
    route: '/api/v1/checkout',
    service: 'checkout',
    session_id: `s-${serial.toString(36)}`,
    stack: ['UpstreamError: order failed', ...frames].join('\n'),
    status_code: 502,
    tags: { region: 'eu-west', host: `checkout-${serial % 4}`, timeout_ms: '3000' },
    timestamp: new Date(1_790_000_000_000 + serial).toISOString(),
    user_id: `u-${serial % 900}`,
  };
}

const MEMBER_KEYS = ['attempt', 'order', 'cart', 'lines', 'currency', 'region', 'host', 'timeout_ms'];

/** Encodes an event as JSON with its keys in the order of raw lines. */
export function inRawLineOrder(event: RawPayload): string {
  return JSON.stringify(event, [...RAW_PAYLOAD_KEYS, ...MEMBER_KEYS]);
}

/** Encodes events as an NDJSON body, with keys in the order of raw lines. */
export function sampleBody(first: number, count: number, kinds: number): Buffer {
  const lines = Array.from({ length: count }, (_, index) =>
    inRawLineOrder(sampleEvent((first + index) % kinds, first + index)),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}
