/** Whether a value from outside is what a type says; the first place where it is not is told to `Mismatch`. */
export type Check<T> = (value: unknown, at: string, mismatch: Mismatch) => value is T;

/** Where a value is not what it should be. */
export class Mismatch {
  /** JSON pointer and what was expected there; undefined while everything fits. */
  found: string | undefined;

  /** Notes a mismatch and answers false, so that a check can return it. */
  at(place: string, expected: string): false {
    this.found ??= `${place === '' ? 'the whole answer' : place} is not ${expected}`;
    return false;
  }
}

/** One check for every key of a record. A key that the record has beyond them is let through. */
export type Shape<T> = { readonly [Key in keyof T]-?: Check<T[Key]> };

export const isString: Check<string> = (value, at, mismatch): value is string =>
  typeof value === 'string' || mismatch.at(at, 'a string');

export const isNumber: Check<number> = (value, at, mismatch): value is number =>
  typeof value === 'number' || mismatch.at(at, 'a number');

export const isBoolean: Check<boolean> = (value, at, mismatch): value is boolean =>
  typeof value === 'boolean' || mismatch.at(at, 'true or false');

/** A check by a function that knows more than the type. */
export function isParsed<T extends string>(parse: (text: string) => T | undefined, expected: string): Check<T> {
  return (value, at, mismatch): value is T =>
    (typeof value === 'string' && parse(value) === value) || mismatch.at(at, expected);
}

export function isOneOf<T extends string>(...values: readonly T[]): Check<T> {
  return (value, at, mismatch): value is T =>
    values.some((one) => one === value) || mismatch.at(at, `one of ${values.join(', ')}`);
}

export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value, at, mismatch): value is T | null => value === null || check(value, at, mismatch);
}

/** A key that may be absent. */
export function orAbsent<T>(check: Check<T>): Check<T> {
  return (value, at, mismatch): value is T => value === undefined || check(value, at, mismatch);
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (value, at, mismatch): value is T[] => {
    if (!Array.isArray(value)) return mismatch.at(at, 'a list');
    return value.every((item: unknown, place) => check(item, `${at}/${place}`, mismatch));
  };
}

export function mapOf<T>(check: Check<T>): Check<Record<string, T>> {
  return (value, at, mismatch): value is Record<string, T> => {
    if (!isObject(value)) return mismatch.at(at, 'an object');
    return Object.entries(value).every(([key, item]) => check(item, `${at}/${key}`, mismatch));
  };
}

export function recordOf<T>(shape: Shape<T>): Check<T> {
  const fields: readonly (readonly [string, Check<unknown>])[] = Object.entries<Check<unknown>>(shape);
  return (value, at, mismatch): value is T => {
    if (!isObject(value)) return mismatch.at(at, 'an object');
    return fields.every(([key, check]) =>
      check(Object.hasOwn(value, key) ? value[key] : undefined, `${at}/${key}`, mismatch),
    );
  };
}

/** An object that came out of `JSON.parse`, whatever is in it. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
