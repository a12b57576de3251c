import { beginTimeSlice } from '../../time-slice.js';

/** UTF-16 units that are compared; cursors contain them. */
const ORDERED_UNITS = 256;
/** Texts sorted or merged between two checks of the clock. */
const TEXTS_PER_STEP = 256;

/** The order of all issues' texts at one instant. */
export interface TextOrder {
  /** By ordinal: the rank of the issue's text among all distinct ones. */
  readonly ranks: Int32Array;
  textAt(rank: number): string;
  /** The rank of a text; between two ranks if no issue has it. */
  rankOf(text: string): number;
}

/** The compared form of a text: lower case and cut. */
export function orderedForm(text: string): string {
  return text.slice(0, ORDERED_UNITS).toLowerCase();
}

/** A text for each issue, and the ranks of the distinct ones: ascending, the empty text last. */
export class RankedTexts {
  readonly #codes = new Map<string, number>();
  /** By code. */
  readonly #texts: string[] = [];
  /** The code plus one; 0 if not set. */
  #codeByOrdinal = new Int32Array(0);
  /** The codes that are ranked, ordered by text. */
  #sorted = new Int32Array(0);
  /** Undefined after a change. */
  #order: TextOrder | undefined;

  get size(): number {
    return this.#texts.length;
  }

  reserve(issues: number): void {
    const byOrdinal = new Int32Array(issues);
    byOrdinal.set(this.#codeByOrdinal.subarray(0, issues));
    this.#codeByOrdinal = byOrdinal;
  }

  has(ordinal: number): boolean {
    return this.#codeByOrdinal[ordinal] !== 0;
  }

  /** `ordinal` must be below the reserved number. */
  set(ordinal: number, text: string): void {
    let code = this.#codes.get(text);
    if (code === undefined) {
      code = this.#texts.push(text) - 1;
      this.#codes.set(text, code);
    }
    if (this.#codeByOrdinal[ordinal] === code + 1) return;
    this.#codeByOrdinal[ordinal] = code + 1;
    this.#order = undefined;
  }

  /** Ranks new texts in time slices. */
  async rank(): Promise<void> {
    if (this.#sorted.length === this.#texts.length) return;
    const slice = beginTimeSlice();
    const steps = sortedWith(this.#sorted, this.#texts);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        this.#sorted = step.value;
        return;
      }
      if (slice.isOver) await slice.next();
    }
  }

  /** The current order; ranks texts that were set since `rank`. */
  order(issues: number): TextOrder {
    if (this.#order?.ranks.length !== issues) this.#order = this.#orderNow(issues);
    return this.#order;
  }

  #orderNow(issues: number): TextOrder {
    if (this.#sorted.length < this.#texts.length) this.#sorted = resultOf(sortedWith(this.#sorted, this.#texts));
    const sorted = this.#sorted;
    const texts = this.#texts;
    const ranks = new Int32Array(sorted.length);
    for (let rank = 0; rank < sorted.length; rank += 1) ranks[sorted[rank] ?? 0] = rank;
    const places = new Int32Array(issues);
    for (let ordinal = 0; ordinal < issues; ordinal += 1) {
      places[ordinal] = ranks[(this.#codeByOrdinal[ordinal] ?? 0) - 1] ?? 0;
    }
    const textAt = (rank: number): string => texts[sorted[rank] ?? -1] ?? '';
    return {
      ranks: places,
      textAt,
      rankOf: (text) => {
        let low = 0;
        let high = sorted.length;
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (compareTexts(textAt(middle), text) < 0) low = middle + 1;
          else high = middle;
        }
        return low < sorted.length && textAt(low) === text ? low : low - 0.5;
      },
    };
  }
}

/** Sorts all codes by text, `sorted` being sorted already; yields every few texts. */
function* sortedWith(sorted: Int32Array, texts: readonly string[]): Generator<undefined, Int32Array<ArrayBuffer>> {
  const compare = (left: number, right: number): number => compareTexts(texts[left] ?? '', texts[right] ?? '');
  let added = Int32Array.from({ length: texts.length - sorted.length }, (_, rank) => sorted.length + rank);
  for (let from = 0; from < added.length; from += TEXTS_PER_STEP) {
    added.subarray(from, from + TEXTS_PER_STEP).sort(compare);
    yield;
  }
  for (let width = TEXTS_PER_STEP; width < added.length; width *= 2) {
    const merged = new Int32Array(added.length);
    for (let from = 0; from < added.length; from += 2 * width) {
      const middle = Math.min(from + width, added.length);
      const runs = [added.subarray(from, middle), added.subarray(middle, from + 2 * width)] as const;
      yield* merge(runs, merged.subarray(from, from + 2 * width), compare);
    }
    added = merged;
  }
  const all = new Int32Array(texts.length);
  yield* merge([sorted, added], all, compare);
  return all;
}

/** Merges two sorted runs into `into`, which is as long as both. */
function* merge(
  [left, right]: readonly [Int32Array, Int32Array],
  into: Int32Array,
  compare: (left: number, right: number) => number,
): Generator<undefined, void> {
  let fromLeft = 0;
  let fromRight = 0;
  for (let rank = 0; rank < into.length; rank += 1) {
    const one = left[fromLeft];
    const other = right[fromRight];
    const isLeft = one !== undefined && (other === undefined || compare(one, other) <= 0);
    into[rank] = (isLeft ? one : other) ?? 0;
    if (isLeft) fromLeft += 1;
    else fromRight += 1;
    if (rank % TEXTS_PER_STEP === 0) yield;
  }
}

function resultOf<Result>(steps: Generator<undefined, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '') return 1;
  return right !== '' && left > right ? 1 : -1;
}
