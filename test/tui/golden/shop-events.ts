import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { EventDetail } from '../../../generated/reader-answers.js';
import { sampleEvent, sampleTime } from '../array-reader.js';
import { SHOP_NOW_SECONDS } from './shop-time.js';

/** Numbers of the issues that have events. */
export const SHOP = { checkout: 1, ledger: 2, worldwide: 3, dump: 4, cart: 5 } as const;

const V8_STACK = [
  "TypeError: Cannot read properties of undefined (reading 'total')",
  '    at orderTotal (/srv/api/src/checkout/order-total.js:27:31)',
  '    at async CheckoutService.submit (/srv/api/src/checkout/checkout-service.js:64:19)',
  '    at async postCheckout (/srv/api/src/routes/checkout.js:18:5)',
  '    at Layer.handle (/srv/api/node_modules/express/lib/router/layer.js:95:5)',
  '    at next (/srv/api/node_modules/express/lib/router/route.js:149:13)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {',
  '  [cause]: PriceUnknownError: no price for SKU-4711 in EUR',
  '      at PriceList.priceOf (/srv/api/src/prices/price-list.js:52:13)',
  '      at orderTotal (/srv/api/src/checkout/order-total.js:24:22) {',
  '    [cause]: Error: connect ECONNREFUSED 10.0.4.17:5432',
  '        at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)',
  '  }',
  '}',
].join('\n');

const JAVA_STACK = [
  'com.shop.payments.LedgerException: entry 88124 was not posted',
  '\tat com.shop.payments.ledger.Ledger.post(Ledger.java:88)',
  '\tat com.shop.payments.ledger.LedgerService.book(LedgerService.java:41)',
  '\tat org.springframework.aop.framework.CglibAopProxy.intercept(CglibAopProxy.java:708)',
  '\tat com.shop.payments.api.PaymentController.capture(PaymentController.java:119)',
  '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
  'Caused by: org.postgresql.util.PSQLException: ERROR: deadlock detected',
  '\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2733)',
  '\tat org.postgresql.jdbc.PgStatement.execute(PgStatement.java:498)',
  '\tat com.shop.payments.ledger.LedgerTable.insert(LedgerTable.java:57)',
  '\tat com.shop.payments.ledger.Ledger.post(Ledger.java:84)',
  '\t... 4 more',
].join('\n');

/** Control sequences, direction marks and wide characters. */
const HOSTILE = [
  '\u001b[31mred\u001b[2J',
  '\u001b]52;c;aGFja2Vk\u0007',
  '\u009b5;5H',
  'a\u0000b\u0008c\td',
  '\u202egnp.exe',
  'zero\u200bwidth',
].join(' ');
const MEGABYTE = 1_000_000;

/** The events of the shop, oldest first. */
export function shopEvents(): EventDetail[] {
  const planned: { seconds: number; issue: number; changes: Partial<RawPayload>; notes?: EventDetail['notes'] }[] = [
    ...Array.from({ length: 60 }, (_, index) => ({
      seconds: checkoutSeconds(index),
      issue: SHOP.checkout,
      changes: checkout(index),
    })),
    ...Array.from({ length: 4 }, (_, index) => ({
      seconds: SHOP_NOW_SECONDS - 7_020 + 900 * index,
      issue: SHOP.ledger,
      changes: ledger(index),
    })),
    {
      seconds: SHOP_NOW_SECONDS - 1_320,
      issue: SHOP.worldwide,
      changes: worldwide(),
      notes: [
        { code: 'TIMESTAMP_MISSING', field: '/timestamp', reason: 'No time was sent: the time of receipt was taken.' },
        { code: 'STRING_CUT', field: '/extra/body', reason: 'Cut from 41,233 to 8,192 characters.' },
      ],
    },
    { seconds: SHOP_NOW_SECONDS - 1_260, issue: SHOP.dump, changes: dump() },
    { seconds: SHOP_NOW_SECONDS - 180, issue: SHOP.cart, changes: { user_id: 'u-204' } },
  ];
  return planned
    .sort((one, other) => one.seconds - other.seconds)
    .map(({ seconds, issue, changes, notes = [] }, index) => {
      const event = sampleEvent(issue, index + 1, { ...changes, timestamp: sampleTime(seconds) });
      const fingerprint = shopFingerprint(issue);
      return { ...event, normalized: { ...event.normalized, timestamp: sampleTime(seconds), fingerprint }, notes };
    });
}

/** The fingerprint of an issue; that of the checkout occurs in two services. */
export function shopFingerprint(issue: number): EventDetail['normalized']['fingerprint'] {
  const number = issue === 19 ? SHOP.checkout : issue;
  return number.toString(16).padStart(32, 'c0ffee00') as EventDetail['normalized']['fingerprint'];
}

/** A few an hour, then forty in the last half hour. */
function checkoutSeconds(index: number): number {
  return index < 20 ? index * 1_900 + 300 : SHOP_NOW_SECONDS - 1_800 + (index - 20) * 46;
}

function checkout(index: number): Partial<RawPayload> {
  const isCanary = index % 7 === 3;
  return {
    error_name: 'TypeError',
    message: "Cannot read properties of undefined (reading 'total')",
    route: '/api/v1/checkout',
    method: 'POST',
    status_code: 500,
    stack: V8_STACK,
    release: index < 20 ? 'v2.4.0' : 'v2.4.1',
    env: isCanary ? 'canary' : 'production',
    user_id: index % 5 === 4 ? null : `u-${100 + ((index * 7) % 23)}`,
    request_id: `req-${5_000 + index}`,
    tags: {
      region: ['eu-west', 'eu-west', 'us-east', 'ap-south'][index % 4] ?? '',
      payment: index % 3 === 0 ? 'invoice' : 'card',
      attempt: String(1 + (index % 2)),
    },
    extra: {
      cart: { lines: 1 + (index % 4), currency: 'EUR', coupon: null, items: [{ sku: 'SKU-4711', quantity: 2 }] },
      flags: { new_prices: true, fast_checkout: isCanary },
      took_ms: 118 + index,
    },
  };
}

function ledger(index: number): Partial<RawPayload> {
  return {
    service: 'payments',
    error_name: 'com.shop.payments.LedgerException',
    message: `entry ${88_121 + index} was not posted`,
    route: '/capture',
    method: 'POST',
    status_code: 503,
    level: 'critical',
    stack: JAVA_STACK,
    release: 'payments-1.19.0',
    user_id: null,
    tags: { shard: String(index % 2), thread: `worker-${index}` },
    extra: { account: { id: 'acc-7', limits: { day: 10_000, single: 2_500 } }, tries: [120, 240, 480] },
  };
}

function worldwide(): Partial<RawPayload> {
  return {
    service: 'frontend',
    error_name: 'RenderError',
    message: `漢字のカート 🛒👩‍👩‍👧 🇩🇪 سلة التسوق e\u0301 ${HOSTILE}`,
    route: '/カート/سلة',
    method: null,
    status_code: null,
    stack: 'RenderError: 漢字\n    at render (https://shop.example/assets/カート-4f2a.js:1:20433)',
    tags: { 言語: '日本語', العربية: 'نعم', emoji: '👍🏽', hostile: HOSTILE },
    extra: { body: HOSTILE, title: 'カート 🛒', deep: { deep: { deep: { deep: { deep: { deep: { end: true } } } } } } },
  };
}

function dump(): Partial<RawPayload> {
  const line = 'row 17 of the export has no price, no name and no place; ';
  return {
    service: 'stock-worker',
    error_name: 'ExportError',
    message: `the export was refused: ${line.repeat(Math.ceil(MEGABYTE / line.length))}`.slice(0, MEGABYTE),
    route: '/jobs/export',
    method: null,
    status_code: null,
    stack: null,
  };
}
