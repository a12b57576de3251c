import { type Finding, type SecretKind, withoutOverlaps } from './finding.js';

/** What stands in place of a secret at a place; undefined where it may stay. Called once for each, in the order of the text. */
export type Masking = (secret: string, at: Finding) => string | undefined;

const NO_FINDINGS: readonly Finding[] = Object.freeze([]);
const NO_KINDS: readonly SecretKind[] = Object.freeze([]);

/** A text of which parts are masked while the rest of it is still looked at. */
export class MaskedText {
  readonly #text: string;
  readonly #masking: Masking;
  readonly #pieces: string[] = [];
  /** Up to where it is written. */
  #at = 0;
  /** What a finding that is to come may still belong to. */
  #open: readonly Finding[] = NO_FINDINGS;

  constructor(text: string, masking: Masking) {
    this.#text = text;
    this.#masking = masking;
  }

  /** Masks what was found; none that begins before `settled` is still to come. Answers the kinds of what was masked now. */
  take(findings: readonly Finding[], settled: number): readonly SecretKind[] {
    if (findings.length === 0 && this.#open.length === 0) return NO_KINDS;
    const merged = withoutOverlaps(this.#open.length === 0 ? findings : [...this.#open, ...findings]);
    const places = merged.findIndex(({ end }) => end > settled);
    const closed = places < 0 ? merged : merged.slice(0, places);
    this.#open = places < 0 ? NO_FINDINGS : merged.slice(places);
    const kinds: SecretKind[] = [];
    let written = '';
    for (const finding of closed) {
      const { start, end, kind } = finding;
      const mask = this.#masking(this.#text.slice(start, end), finding);
      if (mask === undefined) continue;
      written += this.#text.slice(this.#at, start) + mask;
      this.#at = end;
      kinds.push(kind);
    }
    if (written !== '') this.#pieces.push(written);
    return kinds;
  }

  /** The very same text where nothing was masked. */
  get result(): string {
    return this.#at === 0 ? this.#text : this.#pieces.join('') + this.#text.slice(this.#at);
  }
}
