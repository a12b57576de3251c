import { type Call, writtenCall } from '../families/call.js';
import { rubyFrame } from '../families/ruby-frame.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOfCalls, parsedStack, type TracedException } from './traced-exception.js';

const CALL = /^(?:(\d{1,5}): )?(?:from |# )?(\S.{0,499}?):(\d{1,9})(?::in [`']([^']{1,256})')?(?:: (.*))?$/;
/** Some loggers write no quotes. */
const UNQUOTED_CALL =
  /^(\S.{0,499}?\.(?:rb|erb|rake|haml|slim|ru)):(\d{1,9}):in ((?:(?:block(?: \(\d{1,4} levels\))?|rescue|ensure) in ){0,4}(?:<top \(required\)>|[^\s`':]{1,255}))$/;
/** A line of JRuby. */
const CALL_AT = /^(\S.{0,255}?) at (\S{1,499}\.(?:rb|erb|rake|java|ru)):(\d{1,9})$/;
const TYPE = /^(.*?) ?\(([A-Z][\w:]{0,255})\)$/;
/** The title of another exception of a chain; its header is in this line or the next one. */
const NEXT_EXCEPTION = /^(?:Caused by|Information for(?: cause)?): ?/;
const NAMED = /^([A-Z]\w{0,127}(?:::[A-Z]\w{0,127}){0,16})(?:: (.*)| \((.*)\):?)?$/;

interface Section extends Pick<TracedException, 'type' | 'message'> {
  readonly calls: Call[];
}

/**
 * Ruby: the innermost call with message and type, callers after `from`, then the cause in the same form, which most code raises again to wrap.
 * Loggers write the calls alone, below a header of their own.
 */
export const rubyParser: StackParser = {
  family: 'ruby',
  isEvidence: (line) => {
    if (isQuoted(line)) return CALL.test(line);
    if (line.includes(':in ')) return UNQUOTED_CALL.test(line);
    return line.includes(' at ') && line.includes('.rb:') && CALL_AT.test(line);
  },
  parse: (stack) => {
    const sections = new SectionReader().read(linesOf(stack));
    return parsedStack(
      sections
        .map(({ calls, ...one }) => ({ ...one, frames: framesOfCalls(calls, (call) => call, rubyFrame) }))
        .toReversed(),
    );
  },
};

/** Splits lines into exceptions in the order of the text, each before its cause. */
class SectionReader {
  readonly #sections: Section[] = [];
  /** Callers before their exception, as in older versions. */
  #before: Call[] = [];
  #isAfterTitle = false;

  read(lines: readonly string[]): Section[] {
    for (const line of lines) this.#readLine(line.trimStart());
    if (this.#before.length > 0) this.#open(null, null, this.#before.reverse());
    const withCalls = this.#sections.filter(({ calls }) => calls.length > 0);
    return withCalls.length > 0 ? withCalls : this.#sections;
  }

  #readLine(text: string): void {
    if (text === '') return;
    const title = NEXT_EXCEPTION.exec(text);
    if (title !== null || this.#isAfterTitle) this.#readTitle(text.slice(title?.[0].length ?? 0));
    else this.#readCall(text);
  }

  #readTitle(header: string): void {
    const [, type = null, plain, quoted] = NAMED.exec(header) ?? [];
    if (type !== null) this.#open(type, plain ?? quoted ?? null, []);
    this.#isAfterTitle = header === '';
  }

  #readCall(text: string): void {
    const bare = isQuoted(text) ? null : bareCall(text);
    if (bare !== null) {
      this.#push(bare);
      return;
    }
    const [, number, path = '', at, label = '', tail] = CALL.exec(text) ?? [];
    if (path === '') return;
    const call = writtenCall({ name: label, path, line: Number(at) });
    const isFrom = text.startsWith('from ');
    if (number !== undefined) this.#before.push(call);
    else if (tail === undefined && (label !== '' || isFrom)) this.#push(call);
    else if (tail !== undefined && label !== '' && !isFrom) this.#openFailure(call, tail);
  }

  #openFailure(call: Call, tail: string): void {
    const [, message = tail, type = null] = TYPE.exec(tail) ?? [];
    this.#open(type, message, [call, ...this.#before.reverse()]);
    this.#before = [];
  }

  #push(call: Call): void {
    if (this.#sections.length === 0) this.#open(null, null, []);
    this.#sections.at(-1)?.calls.push(call);
  }

  #open(type: string | null, message: string | null, calls: Call[]): void {
    this.#sections.push({ type, message, calls });
  }
}

/** Whether a line may name a function in quotes, as most do. */
function isQuoted(line: string): boolean {
  return line.includes(':in `') || line.includes(":in '");
}

/** A call of JRuby, or without quotes. */
function bareCall(text: string): Call | null {
  const [, path, line, name = ''] = UNQUOTED_CALL.exec(text) ?? [];
  if (path !== undefined) return writtenCall({ name, path, line: Number(line) });
  const [, method = '', file, at] = text.includes(' at ') ? (CALL_AT.exec(text) ?? []) : [];
  return file === undefined ? null : writtenCall({ name: method, path: file, line: Number(at) });
}
