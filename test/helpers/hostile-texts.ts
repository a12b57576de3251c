/** Texts that change what a terminal, a CI system or a reader of a file sees. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...['\u001b[2J', '\u001b]8;;https://evil.test\u0007', '\u0007', '\u0008', '\r', '\n', '\t', '\u0000', '\u007f'],
  ...['\u009b31m', '\u009d0;x\u009c', '\u0085', '\u2028', '\u2029', '\u200e', '\u200b', '\u202e', '\u2066', '\u061c'],
  ...['\ufeff', '\u00ad', '\u034f', '\u3164', '\u{e0041}', '\ud800', '\udc00', '\n::error::x', '::add-mask::x'],
  ...[' ::stop-commands::x', '##[error]x', '##vso[task.setvariable variable=a]b', '\n## Heading', '\n- item', '`'],
  ...['``', '</failure>', '<!--', ']]>', '&#27;', '%0A::error::x', '@all', '|', '"', '\\', 'plain'],
];

/** A character that must not be in any output but a line break, and a command that CI systems run anywhere in a line. */
export const HARMFUL_TEXT =
  /(?!\n)\p{Cc}|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|##(?:[a-z]*)\[/u;

/** The start of a line that GitHub runs as a command. */
export const LINE_COMMAND = /^\s*::[a-z-]+(?: [^:]*)?::/;
