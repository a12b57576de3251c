import type { Steps } from '../event-processor/steps.js';
import { type SecretFinding, type SecretKind, withoutOverlaps } from './detectors/finding.js';
import type { Tally } from './tally.js';

/** What stands in place of a secret at a place; undefined where it may stay. Called once for each, in the order of the text. */
export type Masking<Result> = (secret: string, at: SecretFinding) => Result;

const NO_FINDINGS: readonly SecretFinding[] = Object.freeze([]);

/** Masks what was found in a text; the very same text where nothing is. */
export function maskedText(
  text: string,
  findings: readonly SecretFinding[],
  masking: Masking<string | undefined>,
  tally: Tally,
): string {
  let written = '';
  let at = 0;
  for (const finding of withoutOverlaps(findings)) {
    const { start, end, kind } = finding;
    const mask = masking(text.slice(start, end), finding);
    if (mask === undefined) continue;
    written += text.slice(at, start) + mask;
    at = end;
    tally.countMasked(kind);
  }
  return at === 0 ? text : written + text.slice(at);
}

/** A text of which parts are masked while the rest of it is still looked at. */
export class MaskedText {
  readonly #text: string;
  readonly #masking: Masking<Steps<string | undefined>>;
  readonly #pieces: string[] = [];
  /** Up to where it is written. */
  #at = 0;
  /** What a finding that is to come may still belong to. */
  #open: readonly SecretFinding[] = NO_FINDINGS;

  constructor(text: string, masking: Masking<Steps<string | undefined>>) {
    this.#text = text;
    this.#masking = masking;
  }

  /** Masks what was found; none that begins before `settled` is still to come. Answers the kinds of what was masked now. */
  *take(findings: readonly SecretFinding[], settled: number): Steps<readonly SecretKind[]> {
    const kinds: SecretKind[] = [];
    if (findings.length === 0 && this.#open.length === 0) return kinds;
    const merged = withoutOverlaps([...this.#open, ...findings]);
    const places = merged.findIndex(({ end }) => end > settled);
    const closed = places < 0 ? merged : merged.slice(0, places);
    this.#open = places < 0 ? NO_FINDINGS : merged.slice(places);
    let written = '';
    for (const finding of closed) {
      const { start, end, kind } = finding;
      const mask = yield* this.#masking(this.#text.slice(start, end), finding);
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
