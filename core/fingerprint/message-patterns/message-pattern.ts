/** Left as it is: what looks like a value but carries the kind of failure. */
export const KEEP = Symbol('keep');
/** The first and the last character stay, what lies between is parameterized like any text. */
export const INSIDE = Symbol('inside');

/** Where a row may begin: at a letter, `_` or `$`; at a digit; at a quote mark; at one of `+ - . / \\ ~ : = < > *`. */
export type PatternStart = 'word' | 'number' | 'quote' | 'mark';

/**
 * One kind of value in messages.
 * The pattern is tried at the beginning of a token only, and must be linear there: no repetition inside a repetition that could share its text,
 * and no look ahead without a bound.
 */
export interface MessagePattern {
  readonly name: string;
  readonly starts: readonly PatternStart[];
  /** True when the row matches only behind a word that announces it (`ANNOUNCING_WORDS`), with a few characters between; default false. */
  readonly isAnnounced?: boolean;
  /** Without flags and without capturing groups. */
  readonly pattern: RegExp;
  readonly becomes: string | typeof KEEP | typeof INSIDE;
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
]);
