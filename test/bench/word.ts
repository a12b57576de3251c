/** Returns a unique name of letters for a number, which no placeholder replaces. */
export function word(number: number): string {
  return [...number.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}
