import { cutText } from '../event/text.js';

/** UTF-16 units of a URL that are parsed. */
const MAX_ADDRESS = 2_048;

const SCHEME_AND_HOST = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^/?#]*/;
const VERB = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)(?:\s+|$)/i;

/** Path segments that are values, each with an example. */
const VALUES: readonly { readonly pattern: RegExp; readonly example: string }[] = [
  { pattern: /^[+-]?\d+(?:[-_:,]\d+)*$/, example: '2026-11-21' },
  { pattern: /^[+-]?\d+(?:[.,][+-]?\d+){3}$/, example: '52.52,13.40' },
  { pattern: /^[A-Z]{1,10}[-_]?\d{3,}$/, example: 'ORD-204' },
  { pattern: /^[a-z][a-z_-]*[-_]\d{5,}$/i, example: 'order-20391' },
  {
    pattern: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i,
    example: 'urn:uuid:0190e5a0-7c1b-7d52-9a39-5f2f7c6f0a11',
  },
  { pattern: /^ey[\w-]{8,}\.[\w-]+\.[\w-]*$/, example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln' },
  { pattern: /^(?:0x|\w{1,10}:)?[0-9a-f]{8,}$/i, example: 'sha256:9f4ef63a' },
  {
    pattern: /^(?=\D*\d\D*\d)(?=[^A-Za-z]*[A-Za-z])(?:[A-Za-z]{1,10}_)?[A-Za-z0-9]{12,}$/,
    example: 'cus_9s6XKzkNRiz8i3',
  },
  { pattern: /^(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9_-]{20,}=*$/, example: 'V1StGXR8_Z5jdHi6B-myT' },
  { pattern: /^(?:(?!%40)[^@])+(?:@|%40)[^@.]+\.[^@]+$/i, example: 'ann@example.com' },
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

/** Without the matrix parameters of the segment (`;jsessionid=…`), which are values too. */
function templatedSegment(segment: string): string {
  const [name = ''] = segment.split(';', 1);
  if (name === '' || WORD.test(name)) return name;
  return VALUES.some(({ pattern }) => pattern.test(name)) ? ':id' : name;
}
