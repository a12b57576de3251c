import { emptyPayload } from '../../generated/event-fields.js';
import type { JsonObject } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';

/** Each needs patterns of its own, which the engine compiles at their first use, in up to 40 ms. */
const MESSAGES = [
  'a1 b',
  '7 b',
  '-7 b',
  '"a" b',
  '[a] b',
  'error a1',
  'error 7',
  'error -7',
  'cannot read a',
  'code NOT_FOUND of a',
  'a is not a function',
] as const;

const STACKS = [
  'Error: a\n    at total (/srv/a/dist/b1.js:1:2)\n    at Cart.total (https://a.example/assets/cart-D4hK-s1a.js:1:2)',
  'a.B: c\n\tat a.b.Cart$1.total(Cart.java:1)\n\tat a.b.Main.main(Main.java:1)',
  'Traceback (most recent call last):\n  File "/srv/a.py", line 1, in total\nKeyError: 1',
] as const;

const SENT: JsonObject = {
  sentry: {
    platform: 'javascript',
    exception: {
      values: [
        { type: 'A', stacktrace: { frames: [{ function: 'e.total', filename: 'https://a.example/a1/b2.js' }] } },
      ],
    },
    mapping: { exceptions: [0] },
  },
};

/**
 * Payloads to fingerprint before the first event, each in a turn of its own of the event loop: together they compile what an ordinary
 * event needs, which would block the first one for more than 50 ms.
 */
export const WARM_UP_PAYLOADS: readonly RawPayload[] = [
  ...MESSAGES.map((message) => payloadOf({ message })),
  ...STACKS.map((stack) => payloadOf({ message: 'code NOT_FOUND of a', stack })),
  payloadOf({ extra: SENT }),
];

function payloadOf(changes: Partial<RawPayload>): RawPayload {
  return { ...emptyPayload(), error_name: 'A', message: 'a', ...changes };
}
