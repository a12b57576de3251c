import { linesOf } from './frame-lines.js';
import { jvmParser } from './jvm.js';
import type { StackParser } from './stack-parser.js';

/** Time, process and thread, level and tag of a line of Android's log, in its forms; https://developer.android.com/tools/logcat#outputFormat. */
const PREFIX =
  /^(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}:?\s{1,4})?(?:(?:\d{1,7}[\s-]{1,6}){1,2}\d{1,7}(?:\/\S{1,100})?\s{1,4})?[VDIWEFA][/ ]\s?([\w.$:-]{1,60}?)\s{0,40}(?:\(\s{0,6}\d{1,7}\))?[:\uFE55] ?/;

/** Stacks of the JVM in Android's log, whose every line has a prefix. */
export const logcatParser: StackParser = {
  family: 'jvm',
  isEvidence: (line) => {
    const prefix = PREFIX.exec(line);
    return prefix !== null && jvmParser.isEvidence(line.slice(prefix[0].length).trimStart());
  },
  parse: (stack) => jvmParser.parse(linesOfTrace(linesOf(stack)).join('\n')),
};

/** The lines without their prefix, of the tag of the first call, as others may write in between. */
function linesOfTrace(lines: readonly string[]): string[] {
  const first = lines.find((line) => logcatParser.isEvidence(line)) ?? '';
  const tag = PREFIX.exec(first)?.[1];
  return lines.flatMap((line) => {
    const prefix = PREFIX.exec(line);
    if (prefix === null) return [line];
    return prefix[1] === tag ? [line.slice(prefix[0].length)] : [];
  });
}

/** One way to write a call of the JVM, as a text that the parser reads: `at package.Class.method(File.java:12)`. */
interface FormRow {
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Lines and their results. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Applied to a trimmed line, of which one row matches. */
export const JVM_FORMS: readonly FormRow[] = [
  {
    pattern: /^([\w.$<>-]{3,400}\.[\w$<>-]{1,200}) ?(\([\w$-]{1,100}\.(?:java|clj[cs]?|kt|scala|groovy):\d{1,9}\))$/,
    replacement: 'at $1$2',
    reason: 'The console of Clojure leaves out the word for at, and so do lists of the elements of a stack.',
    examples: [
      ['shop.cart$total.invokeStatic (cart.clj:12)', 'at shop.cart$total.invokeStatic(cart.clj:12)'],
      ['com.acme.Cart.total(Cart.java:12)', 'at com.acme.Cart.total(Cart.java:12)'],
    ],
  },
  {
    pattern:
      /^([\w$-]{1,100}\.(?:java|clj[cs]?|kt|scala|groovy):\d{1,9})\s{1,4}(?:- )?([\w.$<>-]{2,300})[./]([\w.$<>*!?=+-]{1,200})(?:\[fn\])?$/,
    replacement: 'at $2.$3($1)',
    reason: 'Libraries of Clojure and trackers of errors write the source first.',
    examples: [
      ['cart.clj:12 shop.cart/total[fn]', 'at shop.cart.total(cart.clj:12)'],
      ['Cart.kt:12 - com.acme.Cart.total', 'at com.acme.Cart.total(Cart.kt:12)'],
      ['RestFn.java:139 clojure.lang.RestFn.applyTo', 'at clojure.lang.RestFn.applyTo(RestFn.java:139)'],
    ],
  },
];

/** Stacks of the JVM without a word for `at`. */
export const bareJvmParser: StackParser = {
  family: 'jvm',
  isEvidence: (line) => JVM_FORMS.some(({ pattern }) => pattern.test(line)),
  parse: (stack) => jvmParser.parse(linesOf(stack).map(withAt).join('\n')),
};

/** The line as the JVM writes it, with its indent, which tells causes apart. */
function withAt(line: string): string {
  const text = line.trimStart();
  const row = JVM_FORMS.find(({ pattern }) => pattern.test(text));
  return row === undefined ? line : `\t${text.replace(row.pattern, row.replacement)}`;
}
