import type { RawPayload } from '../../core/event/raw-payload.js';
import { emptyPayload } from '../../generated/event-fields.js';
import type { Random } from './random.js';

/** A kind of failure in the demo's shop. */
export interface ShopFailure {
  /** Share of traffic, relative to the sum of all weights. */
  readonly weight: number;
  /** In bursts, or missing for hours until a new release; default: constant. */
  readonly course?: 'spike' | 'regressed';
  /** Creates the fields that identify the failure, with random ids, names and amounts. */
  readonly createEvent: (random: Random) => ShopEvent;
}

type ShopEvent = Pick<RawPayload, 'service' | 'error_name' | 'message' | 'route'> &
  Partial<Pick<RawPayload, 'level' | 'method' | 'stack' | 'status_code' | 'extra' | 'tags'>>;

const BROWSERS = ['Chrome 143', 'Firefox 147', 'Safari 19.1', 'Edge 143'] as const;
const REGIONS = ['eu-west', 'eu-north', 'us-east'] as const;

const frames = (head: string, ...lines: string[]): string =>
  [head, ...lines.map((line) => `    at ${line}`)].join('\n');
const column = (random: Random): number => random.between(3, 60);

/** The failures of a web page, an API, payments and a stock worker. */
export const SHOP_FAILURES: readonly ShopFailure[] = [
  {
    weight: 24,
    createEvent: (random) => {
      const sku = `SKU-${random.between(1000, 9999)}`;
      return {
        service: 'api',
        error_name: 'ValidationError',
        message: `cart line ${random.between(1, 9)}: quantity ${random.between(11, 400)} of ${sku} exceeds the limit of 10`,
        method: 'PUT',
        route: '/api/v1/cart/lines',
        status_code: 422,
        stack: frames(
          'ValidationError: cart line rejected',
          `checkQuantity (/srv/api/src/cart/validate-line.js:${random.between(40, 44)}:${column(random)})`,
          `CartService.setLine (/srv/api/src/cart/cart-service.js:118:${column(random)})`,
          `/srv/api/src/http/cart-routes.js:61:${column(random)}`,
          'Layer.handle (/srv/api/node_modules/router/lib/layer.js:152:17)',
        ),
      };
    },
  },
  {
    weight: 20,
    course: 'spike',
    createEvent: (random) => ({
      service: 'payments',
      error_name: 'PoolTimeoutError',
      level: 'critical',
      message: `no connection to payments-db-${random.between(1, 3)} within ${random.between(3000, 3100)} ms (${random.between(40, 50)} waiting)`,
      method: 'POST',
      route: '/api/v1/payments',
      status_code: 503,
      stack: frames(
        'PoolTimeoutError: no connection',
        `Pool.acquire (/srv/payments/src/db/pool.js:88:${column(random)})`,
        `async authorize (/srv/payments/src/authorize.js:31:${column(random)})`,
        `async PaymentController.create (/srv/payments/src/http/payment-controller.js:57:${column(random)})`,
      ),
      extra: { pool: { size: 20, idle: 0, waiting: random.between(40, 50) } },
    }),
  },
  {
    weight: 8,
    course: 'regressed',
    createEvent: (random) => ({
      service: 'api',
      error_name: 'TypeError',
      message: "Cannot read properties of undefined (reading 'postcode')",
      method: 'POST',
      route: '/api/v1/checkout/address',
      status_code: 500,
      stack: frames(
        "TypeError: Cannot read properties of undefined (reading 'postcode')",
        `formatAddress (/srv/api/src/checkout/format-address.js:${random.between(17, 19)}:${column(random)})`,
        `async Checkout.setAddress (/srv/api/src/checkout/checkout.js:204:${column(random)})`,
        'async /srv/api/src/http/checkout-routes.js:33:5',
      ),
    }),
  },
  {
    weight: 14,
    createEvent: (random) => ({
      service: 'frontend',
      error_name: 'FetchError',
      message: `GET https://shop.example/api/v1/products/${random.between(100, 9999)} timed out after ${random.between(8000, 8009)} ms`,
      route: '/products/:id',
      stack: frames(
        'FetchError: timed out',
        `fetchJson (https://shop.example/assets/app.${random.hex(8)}.js:1:${random.between(20_000, 90_000)})`,
        `loadProduct (https://shop.example/assets/product.${random.hex(8)}.js:1:${random.between(1000, 9000)})`,
      ),
      tags: { timeout_ms: '8000', browser: random.pick(BROWSERS) },
    }),
  },
  {
    weight: 9,
    createEvent: (random) => ({
      service: 'frontend',
      error_name: 'ChunkLoadError',
      message: `Loading chunk ${random.between(10, 99)} failed (https://shop.example/assets/${random.between(10, 99)}.${random.hex(8)}.js)`,
      route: '/checkout',
      tags: { browser: random.pick(BROWSERS) },
    }),
  },
  {
    weight: 10,
    createEvent: (random) => ({
      service: 'stock-worker',
      error_name: 'PanicError',
      level: 'critical',
      message: `stock of SKU-${random.between(1000, 9999)} fell to -${random.between(1, 12)}`,
      extra: { warehouse: random.pick(['Rotterdam', 'Gdynia', 'Savannah']) },
      route: 'jobs/reserve-stock',
      stack: [
        ` at stock::reserve (/build/stock/src/reserve.rs:${random.between(71, 75)})`,
        ' at stock::worker::run_job (/build/stock/src/worker.rs:140)',
        ' at stock::worker::poll (/build/stock/src/worker.rs:52)',
      ].join('\n'),
    }),
  },
  {
    weight: 6,
    createEvent: (random) => ({
      service: 'payments',
      error_name: 'CardDeclinedError',
      level: 'warning',
      message: `issuer declined order ${random.between(100_000, 999_999)}: ${random.pick(['insufficient funds', 'do not honour', 'expired card'])}`,
      method: 'POST',
      route: '/api/v1/payments',
      status_code: 402,
    }),
  },
  {
    weight: 5,
    createEvent: (random) => ({
      service: 'api',
      error_name: 'Error',
      message: `connect ECONNREFUSED 10.0.${random.between(0, 7)}.${random.between(2, 250)}:6379`,
      method: 'GET',
      route: '/api/v1/session',
      status_code: 502,
      stack: frames(
        'Error: connect ECONNREFUSED',
        `SessionStore.read (/srv/api/src/session/session-store.js:44:${column(random)})`,
        `async loadSession (/srv/api/src/http/load-session.js:12:${column(random)})`,
      ),
    }),
  },
  {
    weight: 4,
    createEvent: (random) => ({
      service: 'stock-worker',
      error_name: 'Log',
      message: `supplier feed line ${random.between(1, 90_000)} is not CSV: expected 14 columns, found ${random.between(2, 13)}`,
      route: 'jobs/import-feed',
    }),
  },
  {
    weight: 2,
    createEvent: (random) => ({
      service: 'frontend',
      error_name: 'SecurityError',
      message: "Failed to read the 'localStorage' property from 'Window': access is denied for this document",
      route: '/',
      stack: frames(
        'SecurityError: access is denied',
        `readConsent (https://shop.example/assets/consent.${random.hex(8)}.js:1:${random.between(200, 900)})`,
      ),
      tags: { browser: random.pick(BROWSERS) },
    }),
  },
];

/** Creates the raw payload of a failure. */
export function shopPayload(failure: ShopFailure, random: Random, atMs: number, release: string): RawPayload {
  const event = failure.createEvent(random);
  const isBrowser = event.service === 'frontend';
  return {
    ...emptyPayload(),
    app: 'shop',
    env: random.next() < 0.92 ? 'production' : 'staging',
    error_name: event.error_name,
    extra: event.extra ?? null,
    level: event.level ?? 'error',
    message: event.message,
    method: event.method ?? null,
    release,
    request_id: isBrowser ? null : `req-${random.hex(12)}`,
    route: event.route,
    service: event.service,
    session_id: isBrowser ? `s-${random.hex(10)}` : null,
    stack: event.stack ?? null,
    status_code: event.status_code ?? null,
    tags: {
      region: random.pick(REGIONS),
      ...(isBrowser ? {} : { host: `${event.service}-${random.between(1, 4)}` }),
      ...event.tags,
    },
    timestamp: new Date(atMs).toISOString(),
    user_id: random.next() < 0.7 ? `u-${random.between(1, 900)}` : null,
  };
}
