import { ALPHANUMERIC, DIGITS, HEX, type MessagePattern } from './message-pattern.js';

export const OCTETS = '\\d{1,3}(?:\\.\\d{1,3}){3}';
export const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)';
const REVERSED = '(?:com|org|net|io|edu|gov|java|javax|android|system)\\.';
const TOP = 'com|net|org|edu|gov|mil|info|biz|cloud|local|localdomain|internal|lan|corp|intra|arpa';
const SOURCE = '(?:js|ts|py|go|rb|rs|cs|cc|hs|sh|pl|kt|mm|so|vb|ml|fs)';
const PORT = '(?::\\d{1,5})?';

/** Addresses of machines, people and resources. */
export const NETWORK_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'url',
    until: 1,
    starts: ['word'],
    holds: 'colon',
    pattern: /(?:(?:jar:)?[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/|jar:file:|file:\/)[^\s"'<>`]*[^\s"'<>`.,;:!?()[\]{}]/,
    becomes: '<url>',
    reason: 'Host, path and query differ between calls.',
    examples: [['GET https://api.example.com/users/42?x=1 failed', 'GET <url> failed']],
  },
  {
    name: 'email',
    until: 1,
    starts: ['word', 'number'],
    holds: 'slash',
    pattern: /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/,
    becomes: '<email>',
    reason: 'A person.',
    examples: [['no mailbox for anna.berg@example.com', 'no mailbox for <email>']],
  },
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
      ['peer db-1/10.0.0.7:9000 left', 'peer <host> left'],
      ['peer /10.0.0.7 left', 'peer <host> left'],
    ],
  },
  {
    name: 'hardware_address',
    until: 1,
    first: HEX,
    starts: ['word', 'number'],
    pattern: /[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![\w:])/,
    becomes: '<host>',
    reason: 'The address of a network card.',
    examples: [['no lease for 00:16:3e:5e:6c:00', 'no lease for <host>']],
  },
  {
    name: 'ipv6',
    group: 'ip_address',
    until: 1,
    first: `${HEX}:`,
    second: ':',
    starts: ['word', 'number', 'mark'],
    holds: 'colon',
    pattern:
      /(?<![\w:.])\[?(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){7}|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?(?:\.\d{1,3}){0,3})(?:%\w{1,16})?(?:\]:\d{1,5})?(?![\w:])/,
    becomes: '<host>',
    reason: 'A machine.',
    examples: [
      ['listening on ::1 only', 'listening on <host> only'],
      ['route to fe80::1ff:fe23:4567:890a lost', 'route to <host> lost'],
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
