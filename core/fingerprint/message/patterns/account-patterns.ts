import type { MessagePattern } from './message-pattern.js';

/** User names and credentials. */
export const ACCOUNT_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'user',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern:
      /(?<=\b(?:(?:for|[Ii]nvalid|[Ii]llegal|[Uu]nknown|by|as|from) (?:user|USER|login|account)|[Pp]assword for|[Ll]ogin for|[Ll]ogon for) )[\w.$\\-]{1,64}(?= (?:by|from|on|at|in|with|to|via|using|port|is|has|not|was|does)\b| ?[[(,;:]|[.!]?$)/,
    becomes: '<user>',
    reason: 'The name of an account.',
  },
  {
    name: 'credential',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:Bearer|Basic) )[\w.+/=~-]{8,}/,
    becomes: '<n>',
    reason: 'The credential after an authorization scheme is secret and differs.',
  },
];
