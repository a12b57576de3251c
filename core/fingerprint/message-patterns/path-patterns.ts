import type { MessagePattern } from './message-pattern.js';

/** Places in a file system or on a server. */
export const PATH_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'windows_path',
    starts: ['word', 'mark'],
    pattern: /(?:[A-Za-z]:[\\/]|\\\\[\w.$-]{1,64}\\)[^\s:*?"<>|,;'`()[\]{}]*/,
    becomes: '<path>',
    reason: 'Folders differ from machine to machine.',
    examples: [['cannot open C:\\Users\\anna\\x.txt now', 'cannot open <path> now']],
  },
  {
    name: 'unix_path',
    starts: ['mark'],
    pattern:
      /(?<![\w.)\]}<])(?:~|\.{1,2})?\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    becomes: '<path>',
    reason: 'Folders and routes hold names and ids.',
    examples: [
      ['cannot open /home/anna/x.txt: no space', 'cannot open <path>: no space'],
      ['GET /users/42/orders?page=2 timed out', 'GET <path> timed out'],
      ['read and/or write failed', 'read and/or write failed'],
    ],
  },
  {
    name: 'relative_path',
    starts: ['word', 'number'],
    pattern:
      /(?=[A-Za-z_.@%~/-]{0,120}\d)(?=[\d/.]{0,120}[A-Za-z_])[\w.@%~-]{1,120}\/(?:[\w.@%~-]{1,120}\/){0,20}[\w.@%~-]{0,120}[\w~-]|[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{1,120}){2,20}(?<=\.[A-Za-z]{1,6})(?!\w)/,
    becomes: '<path>',
    reason: 'Parts joined by slashes are a path when one of them holds a digit, or when they end in a file extension.',
    examples: [
      ['wrote part-7/block_9.bin', 'wrote <path>'],
      ['loaded conf/shop/site.yaml', 'loaded <path>'],
      ['type text/html refused', 'type text/html refused'],
    ],
  },
];
