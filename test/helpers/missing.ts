/** For `value ?? missing()`: fails a test that expects a value. */
export function missing(): never {
  throw new Error('an expected value is missing');
}
