import type { PartialSuccess } from '../../otlp/answers.js';

const MAX_REASONS = 3;
const LONGEST_REASON = 300;

/**
 * What was done of one request, by the place of its items: so a request that was refused half-way, or whose answer was not delivered, is taken up
 * where it ended when it comes again.
 */
export class RequestProgress {
  /** Every item before this place is done. */
  #doneBefore = 0;
  /** Those behind it that are done too. */
  readonly #doneBeyond = new Set<number>();
  #others = 0;
  #rejected = 0;
  readonly #reasons: string[] = [];

  /** Whether nothing would be lost if this was forgotten. */
  get isEmpty(): boolean {
    return this.#doneBefore === 0 && this.#doneBeyond.size === 0 && this.#others === 0;
  }

  /** What the sender learns of records that are not stored through its own fault, with the first reasons; undefined when there are none. */
  get partial(): PartialSuccess | undefined {
    if (this.#rejected === 0) return undefined;
    const more = this.#rejected - this.#reasons.length;
    const ending = more > 0 ? `; and ${more} more` : '';
    return { rejected: this.#rejected, message: this.#reasons.join('; ') + ending };
  }

  isDone(place: number): boolean {
    return place < this.#doneBefore || this.#doneBeyond.has(place);
  }

  /** The item is stored, or counted as what needs no storing. */
  finish(place: number): void {
    if (place === this.#doneBefore) this.#doneBefore++;
    else if (place > this.#doneBefore) this.#doneBeyond.add(place);
    while (this.#doneBeyond.delete(this.#doneBefore)) this.#doneBefore++;
  }

  /** The item is counted as rejected. */
  reject(place: number, reason: string): void {
    this.finish(place);
    this.#rejected++;
    if (this.#reasons.length < MAX_REASONS) this.#reasons.push(reason.slice(0, LONGEST_REASON));
  }

  /** Takes how many records that are no failures the request had so far; answers how many of them are not in the account yet. */
  countOthers(soFar: number): number {
    const uncounted = Math.max(0, soFar - this.#others);
    this.#others += uncounted;
    return uncounted;
  }
}
