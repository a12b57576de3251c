/** What issues are filtered by: one text, or several of which one must match. */
export type ColumnValue = string | readonly string[];

/** One value of each issue, as a number that is the same for issues with the same value: a filter then looks at each value once. */
export class CodedColumn {
  readonly #codesByKey = new Map<string, number>();
  readonly #values: ColumnValue[] = [];
  #codes = new Uint32Array(0);

  /** Values that were ever set, also where no issue has them any more. */
  get size(): number {
    return this.#values.length;
  }

  reserve(issues: number): void {
    const codes = new Uint32Array(issues);
    codes.set(this.#codes);
    this.#codes = codes;
  }

  /** The ordinal must be within what was reserved. */
  set(ordinal: number, value: ColumnValue): void {
    const key = keyOf(value);
    let code = this.#codesByKey.get(key);
    if (code === undefined) {
      code = this.#values.push(value) - 1;
      this.#codesByKey.set(key, code);
    }
    this.#codes[ordinal] = code;
  }

  codeOf(ordinal: number): number {
    return this.#codes[ordinal] ?? 0;
  }

  valueOf(code: number): ColumnValue {
    return this.#values[code] ?? '';
  }
}

/** Most lists have one member, and to write those as JSON would take longer than everything else. */
function keyOf(value: ColumnValue): string {
  if (typeof value === 'string') return value;
  const [only = ''] = value;
  return value.length === 1 ? `1${only}` : JSON.stringify(value);
}
