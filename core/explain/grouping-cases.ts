/** `FingerprintBasis.rule` → sentence. */
const CASES: Readonly<Record<string, string>> = {
  rule: 'a grouping rule sets the fingerprint',
  client: 'the sender set the fingerprint',
  stack: 'error type and stack decide',
  stack_and_message: 'error type, stack and message decide',
  message: 'by error type and message; the stack has no usable frame',
  unknown: 'all events were removed',
};

/** Describes the case of a basis; an unknown one is returned unchanged. */
export function caseSentence(rule: string): string {
  const sentence = Object.hasOwn(CASES, rule) ? CASES[rule] : undefined;
  return sentence === undefined ? rule : `${rule}: ${sentence}`;
}
