import { cutText } from '../event/text.js';

/** UTF-16 units of a URL that are parsed. */
const MAX_ADDRESS = 2_048;

const SCHEME_AND_HOST = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^/?#]*/;
const VERB = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)(?:\s+|$)/i;

/** Path segments that are values, each with an example. */
const VALUES: readonly { readonly pattern: RegExp; readonly example: string }[] = [
  { pattern: /^[+-]?\d+(?:[-_:,]\d+)*$/, example: '2026-11-21' },
  {
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    example: '0190e5a0-7c1b-7d52-9a39-5f2f7c6f0a11',
  },
  { pattern: /^(?:0x)?[0-9a-f]{8,}$/i, example: '9f4ef63a' },
  {
    pattern: /^(?=\D*\d\D*\d)(?=[^A-Za-z]*[A-Za-z])(?:[A-Za-z]{1,10}_)?[A-Za-z0-9]{12,}$/,
    example: 'cus_9s6XKzkNRiz8i3',
  },
  { pattern: /^(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9_-]{20,}=*$/, example: 'V1StGXR8_Z5jdHi6B-myT' },
  { pattern: /^[^@]+(?:@|%40)[^@]+\.[^@]+$/i, example: 'ann@example.com' },
];

/** A segment of letters that is not hexadecimal: a word, which no pattern above matches. */
const WORD = /^[a-f-]*[g-z_.][a-z_.-]*$/i;

/** Returns the path of a URL with `:id` for each value: `/orders/42?page=2` becomes `/orders/:id`. */
export function routeOfAddress(address: string): string {
  const [path = ''] = cutText(address, MAX_ADDRESS).replace(SCHEME_AND_HOST, '').split(/[?#]/, 1);
  return path === '' ? '/' : path.split('/').map(templatedSegment).join('/');
}

/** Splits a transaction: `POST /orders/42` into `POST` and `/orders/42`. */
export function splitTransaction(transaction: string): { readonly verb: string | undefined; readonly name: string } {
  const verb = VERB.exec(transaction);
  if (verb === null) return { verb: undefined, name: transaction.trim() };
  return { verb: verb[1]?.toUpperCase(), name: transaction.slice(verb[0].length).trim() };
}

function templatedSegment(segment: string): string {
  if (segment === '' || WORD.test(segment)) return segment;
  return VALUES.some(({ pattern }) => pattern.test(segment)) ? ':id' : segment;
}
