/** Left as it is: what looks like a value but carries the kind of failure. */
export const KEEP = Symbol('keep');
/** The first and the last character stay, what lies between is parameterized like any text. */
export const INSIDE = Symbol('inside');

/** Sets of characters for `first`. */
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const DIGITS = '0123456789';
export const HEX = `${DIGITS}abcdefABCDEF`;
export const ALPHANUMERIC = `${DIGITS}abcdefghijklmnopqrstuvwxyz${UPPER}`;

/**
 * Where a row may begin: at a letter, `_` or `$`; at a digit; at a quote mark; at one of `+ - . / \\ ~ : = < > *`, a minus sign or a sign of a
 * currency; at an opening bracket.
 */
export type PatternStart = 'word' | 'number' | 'quote' | 'mark' | 'bracket';

/**
 * One kind of value in messages.
 * The pattern is tried at the beginning of a token only, and must be linear there: no repetition inside a repetition that could share its text,
 * and no look ahead without a bound.
 */
export interface MessagePattern {
  /** Each row has its own. */
  readonly name: string;
  /** The name by which people switch the row off, where several rows are one kind of value; default its own. */
  readonly group?: string;
  readonly starts: readonly PatternStart[];
  /** The characters of ASCII with which it can begin, for speed alone; default all of `starts`. */
  readonly first?: string;
  /** The characters of ASCII one of which must follow where it begins with a mark or a bracket, for speed alone; default any, or the end. */
  readonly second?: string;
  /**
   * What every match has that begins at a letter or a digit, for speed alone; default nothing. Before it stand only letters, digits and `_$%~+-./\\:@`,
   * and no space stands behind it, but for a digit. `slash` is a backslash or an at sign too; each kind may also be one of those named after it.
   */
  readonly holds?: 'digit' | 'dot' | 'colon' | 'slash';
  /** True when the row matches only behind a word that announces it (`ANNOUNCING_WORDS`), with a few characters between; default false. */
  readonly isAnnounced?: boolean;
  /** Without flags and without capturing groups. */
  readonly pattern: RegExp;
  readonly becomes: string | typeof KEEP | typeof INSIDE;
  /** True when a noun behind it is counted, so that it reads the same in singular and plural; default false. */
  readonly isCount?: boolean;
  /** Why such a text is a value, or why it is not. */
  readonly reason: string;
  /** Whole messages before and after; they are run as tests. */
  readonly examples: readonly (readonly [before: string, after: string])[];
}

/** In lower case; a row that is announced must name one of these in its look behind. */
export const ANNOUNCING_WORDS: ReadonlySet<string> = new Set([
  'status',
  'statuscode',
  'http',
  'response',
  'responsecode',
  'httpcode',
  'code',
  'errcode',
  'errorcode',
  'err_code',
  'error_code',
  'status_code',
  'response_code',
  'http_code',
  'exit_code',
  'error',
  'warning',
  'exit',
  'exited',
  'exitcode',
  'value',
  'signal',
  'errno',
  'rc',
  'sqlstate',
  'state',
  'user',
  'login',
  'account',
  'for',
  'bearer',
  'basic',
  'enotfound',
  'eai_again',
  'hresult',
  'ntstatus',
  'result',
  'lookup',
]);
