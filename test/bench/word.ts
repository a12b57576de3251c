/** A name made of letters only, different for every number, so that parameterization keeps kinds apart. */
export function word(number: number): string {
  return [...number.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}
