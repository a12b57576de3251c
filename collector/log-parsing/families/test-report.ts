import { stackFrom, type TraceFamily } from '../trace-family.js';

/** How a kind of test program reports one failed test. */
interface ReportForm {
  /** The first line; the group is the name of the test. */
  readonly first: RegExp;
  /** Further lines of the report. */
  readonly own: RegExp;
  readonly last?: RegExp;
  /** A line without which it is not a failure. */
  readonly proof: RegExp;
  /** A line of the message; the group is its text. */
  readonly message: RegExp;
}

const GO_LOG = /^\s{1,64}\S{1,256}\.go:\d{1,9}: /;
const GO_MESSAGE = /^(?:\s{1,64}\S{1,256}\.go:\d{1,9}: | {8})(.*)$/;
const GO_FAILED = /^\s{0,64}--- FAIL: /;

const FORMS: readonly ReportForm[] = [
  {
    // A bullet, then an indented message, a piece of source and calls.
    first: /^ {2}● (?!Console$)(\S.{0,512})$/,
    own: /^ {4}/,
    proof: /^\s{4,64}at \S.{0,1024}:\d{1,9}:\d{1,9}\)?$/,
    message: /^ {4}(?! *(?:>? *\d{1,9} \||\||at \S))(.*)$/,
  },
  {
    // A name between underscores, then source in which `>` marks the line and `E` the error.
    first: /^_{2,256} (\S.{0,512}?) _{2,256}$/,
    own: /^(?: {4}|> {2,}|E {2,})|^\S[^:]{0,1024}:\d{1,9}: |^(?:_ ){4}/,
    proof: /^E {2,}/,
    message: /^E {2,3}(.*)$/,
  },
  { first: /^\s{0,64}--- FAIL: (\S{1,512}) \(/, own: /^ {8}/, proof: GO_LOG, message: GO_MESSAGE },
  // With `-v` the result comes last.
  { first: /^=== (?:RUN|NAME) +(\S{1,512})$/, own: /^ {8}/, last: GO_FAILED, proof: GO_LOG, message: GO_MESSAGE },
];
const MAY_BE_FIRST = /^(?: {2}● |_{2,256} |=== |\s{0,64}--- FAIL: )/;
const ENDS_REPORT = /^(?:={3,256}|-{3,256}|_{2,256}) \S/;

const formOf = (line: string): ReportForm | undefined =>
  MAY_BE_FIRST.test(line) ? FORMS.find(({ first }) => first.test(line)) : undefined;

/** Failed tests as test programs report them; the name of the test is the name of the error. */
export const TEST_REPORT: TraceFamily = {
  format: 'test',

  begin(line) {
    const form = formOf(line);
    if (form === undefined) return undefined;
    return {
      isCertain: false,
      step: (next) => {
        if (form.last?.test(next)) return 'last';
        if (form.own.test(next) || form.proof.test(next)) return 'accept';
        return ENDS_REPORT.test(next) || formOf(next) !== undefined ? 'ended' : 'hold';
      },
    };
  },

  parse(lines) {
    const form = formOf(lines[0] ?? '');
    const isFailure = form?.last === undefined || form.last.test(lines.at(-1) ?? '');
    if (form === undefined || !isFailure || !lines.some((line) => form.proof.test(line))) return undefined;
    const message = lines.slice(1).flatMap((line) => form.message.exec(line)?.[1] ?? []);
    return {
      errorName: form.first.exec(lines[0] ?? '')?.[1] ?? '',
      message: message.join('\n').trim(),
      stack: stackFrom(lines, 1),
      level: 'error',
    };
  },
};
