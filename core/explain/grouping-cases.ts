/** `FingerprintBasis.rule` → sentence. */
const CASES: Readonly<Record<string, string>> = {
  rule: 'a rule of yours sets the fingerprint',
  client: 'the client grouped the event itself',
  stack: 'error type and stack decide',
  stack_and_message: 'error type, stack and message decide',
  message: 'error type and message decide; no frame does',
  unknown: 'no event is left that could say',
};

/** Describes the case of a basis; an unknown one is returned unchanged. */
export function caseSentence(rule: string): string {
  const sentence = Object.hasOwn(CASES, rule) ? CASES[rule] : undefined;
  return sentence === undefined ? rule : `${rule}: ${sentence}`;
}
