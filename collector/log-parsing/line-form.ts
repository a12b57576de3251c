import { isAtLeastLevel } from '../../core/event/level.js';
import { isLogLine, type ParsedTrace, type Step, stackFrom, type TraceFamily } from './trace-family.js';

/** A failure that one line names; patterns have the groups `name`, `message` (or `word`), `error` and `level`. */
export interface LineForm {
  readonly format: string;
  readonly first: RegExp;
  /** Further lines that belong to the failure; default: none. */
  readonly further?: RegExp;
  /** The line that may follow after a blank one; default: as `further`. */
  readonly afterBlank?: RegExp;
  /** The further line that proves the failure; default: the first line is proof. */
  readonly proof?: RegExp;
  /** The last line, which may be a further one. */
  readonly last?: RegExp;
  /** The line from which name and message are parsed if the first one does not name them. */
  readonly detail?: RegExp;
  /** The last line of the stack; default: all lines. */
  readonly stackEnd?: RegExp;
  /** The error name if no pattern names it; default: none. */
  readonly name?: string;
  /** Default: `fatal`, and for `isLog` the one in the line. */
  readonly level?: 'error' | 'fatal';
  readonly onlyAtEnd?: boolean;
  readonly isLog?: boolean;
}

/** Creates the family of a form. */
export function familyOfForm(form: LineForm): TraceFamily {
  const { format, first, proof, isLog = false } = form;
  return {
    format,
    isLog,
    begin(line) {
      if (!first.test(line)) return undefined;
      const steps = new FormSteps(form);
      return { isCertain: proof === undefined && !isLog, step: (next) => steps.step(next) };
    },
    parse: (lines) => parseForm(form, lines),
  };
}

/** Classifies the lines after the first one. */
class FormSteps {
  readonly #form: LineForm;
  #expected: RegExp | undefined;
  #isProven: boolean;

  constructor(form: LineForm) {
    this.#form = form;
    this.#expected = form.further;
    this.#isProven = form.proof === undefined;
  }

  step(line: string): Step {
    const { last, proof, isLog = false } = this.#form;
    if (last?.test(line)) return 'last';
    this.#isProven ||= proof?.test(line) ?? false;
    if (!this.#isProven) return isLogLine(line) ? 'ended' : 'hold';
    if (line.trim() === '' && !isLog) return this.#blank();
    if (this.#expected?.test(line)) return this.#further();
    return isLog && !isLogLine(line) ? 'foreign' : 'ended';
  }

  #blank(): Step {
    const { further, afterBlank = further } = this.#form;
    this.#expected = afterBlank;
    return further === undefined ? 'ended' : 'hold';
  }

  #further(): Step {
    // The line holds the text of a log line; after it, an exception may follow.
    this.#expected = this.#form.isLog ? undefined : this.#form.further;
    return 'accept';
  }
}

function parseForm(form: LineForm, lines: readonly string[]): ParsedTrace {
  const names = namesIn(form, lines);
  const isOneLogLine = form.isLog === true && lines.length === 1;
  return {
    errorName: (names['name'] ?? form.name ?? '').replace(/^\{/, ''),
    message: messageOf(form, names, lines),
    stack: isOneLogLine ? null : stackFrom(stackOf(form, lines)),
    level: form.level ?? levelOf(names['level']),
  };
}

/** The first value of each group of the patterns. */
function namesIn({ first, detail }: LineForm, lines: readonly string[]): Record<string, string | undefined> {
  const names: Record<string, string | undefined> = { ...first.exec(lines[0] ?? '')?.groups };
  if (detail === undefined) return names;
  for (const line of lines) {
    const groups = detail.exec(line)?.groups;
    names['name'] ??= groups?.['name'];
    names['message'] ??= groups?.['message'] ?? groups?.['word'];
    names['error'] ??= groups?.['error'];
  }
  return names;
}

/** The named message, else the text of a log or a report, and the lines before the proof. */
function messageOf(form: LineForm, names: Record<string, string | undefined>, lines: readonly string[]): string {
  const { format, proof, isLog = false } = form;
  const named = joinMessages(names['message'], names['error']);
  const hasText = isLog || format === 'erlang';
  const text = hasText ? lines.slice(isLog ? 0 : 1).join('\n') : '';
  const proofAt = proof === undefined ? -1 : lines.findIndex((line) => proof.test(line));
  const beforeProof = proofAt > 1 ? `\n${lines.slice(1, proofAt).join('\n')}` : '';
  return `${named ?? text}${beforeProof}`.trim();
}

function stackOf({ stackEnd }: LineForm, lines: readonly string[]): readonly string[] {
  const end = stackEnd === undefined ? -1 : lines.findIndex((line) => stackEnd.test(line));
  return end === -1 ? lines : lines.slice(0, end + 1);
}

/** Klog writes one letter. */
function levelOf(word: string | undefined): 'error' | 'fatal' {
  if (word === undefined || word === 'F') return 'fatal';
  return isAtLeastLevel(word, 'fatal') ? 'fatal' : 'error';
}

/** An error that its logger's message does not quote is a part of the message: two errors under one message are two failures. */
export function joinMessages(logged?: string | number, error?: string | number): string | undefined {
  const [outer, inner] = [String(logged ?? error ?? '').trim(), String(error ?? '').trim()];
  if (outer === '') return undefined;
  const [outerWords, innerWords] = [outer.toLowerCase(), inner.toLowerCase()];
  if (outerWords.includes(innerWords)) return outer;
  if (innerWords.includes(outerWords)) return inner;
  return outer.endsWith(':') ? `${outer} ${inner}` : `${outer}: ${inner}`;
}
