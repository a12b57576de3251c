import type { Steps } from '../event-processor/steps.js';
import { mergeOverlaps, type SecretFinding, type SecretKind } from './detectors/finding.js';
import type { Tally } from './tally.js';

/** Returns the replacement of a secret, or undefined to keep it. Called once per finding, in text order. */
export type MaskSecret<Result> = (secret: string, at: SecretFinding) => Result;

const NO_FINDINGS: readonly SecretFinding[] = Object.freeze([]);

/** Masks findings in a text; returns the same text if nothing is masked. */
export function maskFindings(
  text: string,
  findings: readonly SecretFinding[],
  masking: MaskSecret<string | undefined>,
  tally: Tally,
): string {
  let written = '';
  let at = 0;
  for (const finding of mergeOverlaps(findings)) {
    const { start, end, kind } = finding;
    const mask = masking(text.slice(start, end), finding);
    if (mask === undefined) continue;
    written += text.slice(at, start) + mask;
    at = end;
    tally.countMasked(kind);
  }
  return at === 0 ? text : written + text.slice(at);
}

/** Masks a text while the rest of it is still being scanned. */
export class MaskedText {
  readonly #text: string;
  readonly #masking: MaskSecret<Steps<string | undefined>>;
  readonly #pieces: string[] = [];
  /** End of the masked part. */
  #at = 0;
  /** Findings that a later one may still overlap. */
  #open: readonly SecretFinding[] = NO_FINDINGS;

  constructor(text: string, masking: MaskSecret<Steps<string | undefined>>) {
    this.#text = text;
    this.#masking = masking;
  }

  /** Adds findings; later ones must begin at or after `settled`. Returns the kinds of the secrets masked now. */
  *add(findings: readonly SecretFinding[], settled: number): Steps<readonly SecretKind[]> {
    const kinds: SecretKind[] = [];
    if (findings.length === 0 && this.#open.length === 0) return kinds;
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
      kinds.push(kind);
    }
    if (written !== '') this.#pieces.push(written);
    return kinds;
  }

  /** The same text if nothing was masked. */
  get result(): string {
    return this.#at === 0 ? this.#text : this.#pieces.join('') + this.#text.slice(this.#at);
  }
}
