import type { TokenKind } from '../message-tokens.js';

/** The text stays, because it identifies the failure. */
export const KEEP = Symbol('keep');
/** The first and the last character stay; the text between is parameterized. */
export const INSIDE = Symbol('inside');

/** What the first character of a match can be. */
export type TokenStart = Exclude<TokenKind, 'other'>;

/** One kind of value in messages. Its pattern is tried at the start of a token and must be linear: no ambiguous nested repetition, no unbounded lookahead. */
export interface MessagePattern {
  /** Switches the row off; rows of one kind of value share it. */
  readonly name: string;
  readonly starts: readonly TokenStart[];
  /** True if the row matches only shortly after a word of `ANNOUNCING_WORDS`; default false. */
  readonly isAnnounced?: boolean;
  /** Without flags and without capturing groups. */
  readonly pattern: RegExp;
  /** A placeholder, or what makes a template of the text. */
  readonly becomes: string | ((text: string) => string) | typeof KEEP | typeof INSIDE;
  readonly reason: string;
}
