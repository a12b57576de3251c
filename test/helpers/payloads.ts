import type { RawPayload } from '../../core/event/raw-payload.js';

/** A server event with a stack and a request. */
export function serverPayload(changes: Partial<RawPayload> = {}): RawPayload {
  return {
    app: 'shop',
    env: 'production',
    error_name: 'ValidationError',
    extra: { cart: { lines: 3 } },
    level: 'error',
    message: 'quantity 12 of SKU-4711 exceeds the limit',
    method: 'PUT',
    release: 'v1.4.2',
    request_id: 'req-1',
    route: '/api/v1/cart/lines',
    service: 'api',
    session_id: null,
    stack:
      'ValidationError: quantity\n    at checkQuantity (/srv/api/src/cart/validate-line.js:41:9)\n    at CartService.setLine (/srv/api/src/cart/cart-service.js:118:5)',
    status_code: 422,
    tags: { region: 'eu-west', attempt: '2' },
    timestamp: '2026-11-20T10:11:12.123456789Z',
    user_id: 'u-7',
    ...changes,
  };
}

/** An event whose error name, message and stack depend on `kind`: one issue for each kind. */
export function kindOfFailure(kind: number, changes: Partial<RawPayload> = {}): RawPayload {
  const name = kind.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
  return serverPayload({
    error_name: `Failure${name.toUpperCase()}Error`,
    message: `the ${name} did not answer`,
    stack: `Failure: x\n    at call_${name} (/srv/api/src/${name}.js:10:5)`,
    ...changes,
  });
}
