/** Like `toEqual`, for large values that mostly are equal: `toEqual` takes a hundred times as long to see it. Compares what JSON says of them. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}
