import type { MessagePattern } from './message-pattern.js';

const PATHS: readonly Omit<MessagePattern, 'name' | 'becomes'>[] = [
  {
    starts: ['word', 'mark'],
    pattern: /(?:[A-Za-z]:[\\/](?! |$)|\\\\[\w.$-]{1,64}\\)[^\s:*?"<>|,;'`()[\]{}]*/,
    reason: 'Folders differ between machines.',
  },
  {
    starts: ['mark'],
    pattern: /(?<![\w.)\]}<])\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    reason: 'Folders and routes contain names and ids.',
  },
  {
    starts: ['mark'],
    pattern:
      /(?<![\w.)\]}<])(?:~|\.{1,2})\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    reason: 'Paths relative to the working folder or the home folder.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /(?=[A-Za-z_.@%~/-]{0,120}\d)(?=[\d/.]{0,120}[A-Za-z_])[\w.@%~-]{1,120}\/(?:[\w.@%~-]{1,120}\/){0,20}[\w.@%~-]{0,120}[\w~-]|[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{1,120}){2,20}(?<=\.[A-Za-z]{1,6})(?!\w)/,
    reason: 'Names joined by slashes are a path if one contains a digit or the last one has a file extension.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{0,120}|(?:\\[\w.@%~-]{1,120}){1,20})(?<=[\w-]\.[a-z]{1,5})(?![\w/\\]|\.\w)/,
    reason: 'With a file extension, one slash or backslash is enough.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /[\w@-][\w.@%~-]{0,120}\.(?:avif|bmp|gif|heic|ico|jpe?g|png|svg|tiff?|webp|docx?|odp|ods|odt|pdf|pptx?|rtf|txt|xlsx?|avro|csv|parquet|tsv|aac|flac|m4a|mp3|ogg|wav|avi|mkv|mov|mp4|webm|7z|bz2|gz|rar|tar|tgz|xz|zip|zst|bak|eml|part|tmp)(?![\w@/\\-]|\.\w)/,
    reason:
      'Images, documents, tables, audio, video and archives are data of a program, unlike its sources and settings.',
  },
];

/** Paths in a file system or on a server. */
export const PATH_PATTERNS: readonly MessagePattern[] = PATHS.map((row) => ({
  ...row,
  name: 'path',
  becomes: '<path>',
}));
