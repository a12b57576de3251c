import { ALPHANUMERIC, type MessagePattern } from './message-pattern.js';

/** Paths in a file system or on a server. */
export const PATH_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'windows_path',
    group: 'path',
    starts: ['word', 'mark'],
    first: `${ALPHANUMERIC}\\`,
    second: '\\',
    holds: 'slash',
    pattern: /(?:[A-Za-z]:[\\/]|\\\\[\w.$-]{1,64}\\)[^\s:*?"<>|,;'`()[\]{}]*/,
    becomes: '<path>',
    reason: 'Folders differ between machines.',
    examples: [['cannot open C:\\Users\\anna\\x.txt now', 'cannot open <path> now']],
  },
  {
    name: 'unix_path',
    group: 'path',
    first: '/',
    starts: ['mark'],
    pattern: /(?<![\w.)\]}<])\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    becomes: '<path>',
    reason: 'Folders and routes contain names and ids.',
    examples: [
      ['cannot open /home/anna/x.txt: no space', 'cannot open <path>: no space'],
      ['GET /users/42/orders?page=2 timed out', 'GET <path> timed out'],
      ['read and/or write failed', 'read and/or write failed'],
    ],
  },
  {
    name: 'unix_path_from_here',
    group: 'path',
    first: '~.',
    second: './',
    starts: ['mark'],
    pattern:
      /(?<![\w.)\]}<])(?:~|\.{1,2})\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    becomes: '<path>',
    reason: 'Paths relative to the working folder or the home folder.',
    examples: [['cannot open ../shop/x.txt or ~/x.txt', 'cannot open <path> or <path>']],
  },
  {
    name: 'relative_path',
    group: 'path',
    starts: ['word', 'number'],
    holds: 'slash',
    pattern:
      /(?=[A-Za-z_.@%~/-]{0,120}\d)(?=[\d/.]{0,120}[A-Za-z_])[\w.@%~-]{1,120}\/(?:[\w.@%~-]{1,120}\/){0,20}[\w.@%~-]{0,120}[\w~-]|[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{1,120}){2,20}(?<=\.[A-Za-z]{1,6})(?!\w)/,
    becomes: '<path>',
    reason: 'Names joined by slashes are a path if one contains a digit or the last one has a file extension.',
    examples: [
      ['wrote part-7/block_9.bin', 'wrote <path>'],
      ['loaded conf/shop/site.yaml', 'loaded <path>'],
      ['type text/html refused', 'type text/html refused'],
    ],
  },
  {
    name: 'file_in_a_folder',
    group: 'path',
    starts: ['word', 'number'],
    holds: 'slash',
    pattern:
      /[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{0,120}|(?:\\[\w.@%~-]{1,120}){1,20})(?<=[\w-]\.[a-z]{1,5})(?![\w/\\]|\.\w)/,
    becomes: '<path>',
    reason: 'With a file extension, one slash or backslash is enough.',
    examples: [
      ['cannot open conf/site.yaml', 'cannot open <path>'],
      ['cannot open conf\\shop\\site.yaml', 'cannot open <path>'],
      ['read/write failed', 'read/write failed'],
    ],
  },
  {
    name: 'file_of_data',
    group: 'path',
    starts: ['word', 'number'],
    holds: 'dot',
    pattern:
      /[\w@-][\w.@%~-]{0,120}\.(?:avif|bmp|gif|heic|ico|jpe?g|png|svg|tiff?|webp|docx?|odp|ods|odt|pdf|pptx?|rtf|txt|xlsx?|avro|csv|parquet|tsv|aac|flac|m4a|mp3|ogg|wav|avi|mkv|mov|mp4|webm|7z|bz2|gz|rar|tar|tgz|xz|zip|zst|bak|eml|part|tmp)(?![\w@/\\-]|\.\w)/,
    becomes: '<path>',
    reason:
      'Images, documents, tables, audio, video and archives are data of a program, unlike its sources and settings.',
    examples: [
      ['image anna.png is too wide', 'image <path> is too wide'],
      ['cannot read config.yaml', 'cannot read config.yaml'],
      ['user.name is not set', 'user.name is not set'],
    ],
  },
];
