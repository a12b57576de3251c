import { ALPHANUMERIC, DIGITS, type MessagePattern } from './message-pattern.js';

export const OCTETS = '\\d{1,3}(?:\\.\\d{1,3}){3}';
export const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)';
const REVERSED = '(?:com|org|net|io|edu|gov|java|javax|android|system)\\.';
const TOP = 'com|net|org|edu|gov|mil|info|biz|cloud|local|localdomain|internal|lan|corp|intra|arpa';
const SOURCE = '(?:js|ts|py|go|rb|rs|cs|cc|hs|sh|pl|kt|mm|so|vb|ml|fs)';
const PORT = '(?::\\d{1,5})?';

/** Addresses of machines, people and resources. */
export const NETWORK_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'ipv4',
    group: 'ip_address',
    first: `${ALPHANUMERIC}/`,
    second: DIGITS,
    starts: ['word', 'number', 'mark'],
    holds: 'dot',
    pattern: new RegExp(
      `(?:[A-Za-z0-9][\\w.-]{0,200}(?=/))?(?:(?<![.)\\]])/)?${OCTETS}${PORT}(?:/\\d{1,2})?(?![\\w-]|\\.\\w)`,
    ),
    becomes: '<host>',
    reason: 'A machine, with or without port, and as Java writes it: name/address.',
    examples: [
      ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED <host>'],
      ['peer db-1.lan/10.0.0.7:9000 left', 'peer <host> left'],
      ['peer /10.0.0.7 left', 'peer <host> left'],
    ],
  },
  {
    name: 'host',
    starts: ['word', 'number'],
    holds: 'dot',
    pattern: new RegExp(
      `(?<![\\w.-])(?:localhost(?=:\\d)|(?=[A-Za-z0-9-]{1,63}\\.)(?:(?!${REVERSED})(?:(?:${LABEL}\\.){1,8}(?:${TOP})(?![\\w-]|\\.\\w|/)|(?:${LABEL}\\.){2,8}[a-z]{2}(?![\\w-]|\\.\\w|/))|${LABEL}\\.(?!${SOURCE}:)[a-z]{2}(?=:\\d)))${PORT}(?!\\w)`,
    ),
    becomes: '<host>',
    reason: 'A machine by name: labels that end in a top-level domain, not a package that begins with one.',
    examples: [
      ['connect to db-2.eu.example.com:5432 failed', 'connect to <host> failed'],
      ['connect to localhost:5432 failed', 'connect to <host> failed'],
      ['no handler in com.acme.shop.io', 'no handler in com.acme.shop.io'],
    ],
  },
];
