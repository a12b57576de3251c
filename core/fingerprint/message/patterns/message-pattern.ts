/** The text stays, because it identifies the failure. */
export const KEEP = Symbol('keep');
/** The first and the last character stay; the text between is parameterized. */
export const INSIDE = Symbol('inside');

/** Sets of characters for `first`. */
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const DIGITS = '0123456789';
export const HEX = `${DIGITS}abcdefABCDEF`;
export const LETTERS = `abcdefghijklmnopqrstuvwxyz${UPPER}`;
export const ALPHANUMERIC = DIGITS + LETTERS;

/** First character of a row: a letter, `_` or `$`; a digit; a quote mark; one of `+ - . / \\ ~ : = < > *`, a minus or currency sign; an opening bracket. */
export type PatternStart = 'word' | 'number' | 'quote' | 'mark' | 'bracket';

/** One kind of value in messages. Its pattern is tried at the start of a token and must be linear: no ambiguous nested repetition, no unbounded lookahead. */
export interface MessagePattern {
  /** Switches the row off; rows of one kind of value share it. */
  readonly name: string;
  readonly starts: readonly PatternStart[];
  /** ASCII characters that can begin a match, for speed only; default all of `starts`. */
  readonly first?: string;
  /** ASCII characters that can follow a mark or a bracket at the start, for speed only; default any character or the end. */
  readonly second?: string;
  /**
   * A character that every match at a letter or a digit contains, for speed only; default none. Only letters, digits and `_$%~+-./\\:@` precede it, and unless it is a
   * digit, no space follows it. `slash` includes backslash and at sign; each kind includes the ones after it.
   */
  readonly holds?: 'digit' | 'dot' | 'colon' | 'slash';
  /** True if the row matches only shortly after a word of `ANNOUNCING_WORDS`; default false. */
  readonly isAnnounced?: boolean;
  /** Without flags and without capturing groups. */
  readonly pattern: RegExp;
  readonly becomes: string | typeof KEEP | typeof INSIDE;
  readonly reason: string;
}

/** Lower case; the lookbehind of a row with `isAnnounced` must contain one of these. */
export const ANNOUNCING_WORDS: ReadonlySet<string> = new Set(
  `status statuscode http response responsecode httpcode code errcode errorcode err_code error_code status_code
  response_code http_code exit_code error warning exit exited exitcode value signal errno rc sqlstate state user
  login account for bearer basic enotfound eai_again hresult ntstatus result lookup currency`.split(/\s+/),
);
