import type { Steps } from '../event-processor/steps.js';
import { mergeOverlaps, type SecretFinding } from './detectors/finding.js';
import type { Tally } from './tally.js';

/** Returns the replacement of a secret, or undefined to keep it. Called once per finding, in text order. */
type MaskSecret = (secret: string, at: SecretFinding) => Steps<string | undefined>;

const NO_FINDINGS: readonly SecretFinding[] = Object.freeze([]);

/** Masks a text, also while the rest of it is still being scanned, and counts what it masks. */
export class MaskedText {
  readonly #text: string;
  readonly #masking: MaskSecret;
  readonly #tally: Tally;
  readonly #pieces: string[] = [];
  /** End of the masked part. */
  #at = 0;
  /** Findings that a later one may still overlap. */
  #open: readonly SecretFinding[] = NO_FINDINGS;

  constructor(text: string, masking: MaskSecret, tally: Tally) {
    this.#text = text;
    this.#masking = masking;
    this.#tally = tally;
  }

  /** Adds findings; later ones must begin at or after `settled`. */
  *add(findings: readonly SecretFinding[], settled: number): Steps<void> {
    if (findings.length === 0 && this.#open.length === 0) return;
    const merged = mergeOverlaps([...this.#open, ...findings]);
    const firstOpen = merged.findIndex(({ end }) => end > settled);
    const closed = firstOpen < 0 ? merged : merged.slice(0, firstOpen);
    this.#open = firstOpen < 0 ? NO_FINDINGS : merged.slice(firstOpen);
    let written = '';
    for (const finding of closed) {
      const { start, end, kind } = finding;
      const mask = yield* this.#masking(this.#text.slice(start, end), finding);
      if (mask === undefined) continue;
      written += this.#text.slice(this.#at, start) + mask;
      this.#at = end;
      this.#tally.countMasked(kind);
    }
    if (written !== '') this.#pieces.push(written);
  }

  /** The same text if nothing was masked. */
  get result(): string {
    return this.#at === 0 ? this.#text : this.#pieces.join('') + this.#text.slice(this.#at);
  }
}
