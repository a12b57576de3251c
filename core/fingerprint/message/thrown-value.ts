/** How runtimes and SDKs of scripts report a value that is no error; the group is the value. */
export const THROWN_VALUES: readonly {
  readonly pattern: RegExp;
  readonly examples: readonly (readonly [string, string])[];
}[] = [
  {
    pattern:
      /^This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with \.catch\(\)\. The promise rejected with the reason(?: "(.{1,8192}?)"\.?|:\s{1,8}(.{1,8192}))$/s,
    examples: [
      [
        'This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "card declined".',
        'card declined',
      ],
    ],
  },
  {
    pattern: /^Non-Error (?:promise rejection|exception) captured with value: (.{1,8192})$/s,
    examples: [['Non-Error promise rejection captured with value: card declined', 'card declined']],
  },
  {
    pattern: /^(?:(?:Uncaught|Unhandled) )?\(in promise\):? (.{1,8192})$|^Unhandled promise rejection: (.{1,8192})$/is,
    examples: [
      ['Uncaught (in promise) card declined', 'card declined'],
      ['Unhandled Promise Rejection: card declined', 'card declined'],
    ],
  },
];

/** A cheap test that matches whenever a row does. */
const MAY_REPORT = /^(?:This error originated|Non-Error|\(in promise|Un(?:caught|handled) )/i;
/** Says no more than that it is no text. */
const NO_TEXT = /^(?:#<\w{1,100}>|\[object \w{1,100}\]|undefined|null)$/;

/** Returns the text that was thrown, if the message only reports it; else the message. */
export function thrownValue(message: string): string {
  if (!MAY_REPORT.test(message)) return message;
  for (const { pattern } of THROWN_VALUES) {
    const match = pattern.exec(message);
    const value = match?.slice(1).find((group) => group !== undefined);
    if (value !== undefined) return NO_TEXT.test(value) ? `Promise rejected with ${value}` : value;
  }
  return message;
}
