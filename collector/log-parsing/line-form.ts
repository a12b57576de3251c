import { isAtLeastLevel } from '../../core/normalize/level.js';
import { isLogLine, type ParsedTrace, stackFrom, type TraceFamily, type TraceStart } from './trace-family.js';

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
    begin: (line) => (first.test(line) ? { isCertain: proof === undefined && !isLog, step: stepOf(form) } : undefined),
    parse: (lines) => parseForm(form, lines),
  };
}

function stepOf({ further, afterBlank = further, proof, last, isLog = false }: LineForm): TraceStart['step'] {
  let expected = further;
  let isProven = proof === undefined;
  return (line) => {
    if (last?.test(line)) return 'last';
    isProven ||= proof?.test(line) ?? false;
    if (!isProven) return isLogLine(line) ? 'ended' : 'hold';
    if (line.trim() === '' && !isLog) {
      expected = afterBlank;
      return further === undefined ? 'ended' : 'hold';
    }
    const isExpected = expected?.test(line) ?? false;
    if (isExpected) {
      // The text of a log line; an exception may follow.
      expected = isLog ? undefined : further;
      return 'accept';
    }
    return isLog && !isLogLine(line) ? 'foreign' : 'ended';
  };
}

function parseForm(form: LineForm, lines: readonly string[]): ParsedTrace {
  const { format, first, proof, detail, stackEnd, isLog = false } = form;
  const found: Record<string, string | undefined> = { ...first.exec(lines[0] ?? '')?.groups };
  for (const line of detail === undefined ? [] : lines) {
    const groups = detail?.exec(line)?.groups;
    found['name'] ??= groups?.['name'];
    found['message'] ??= groups?.['message'] ?? groups?.['word'];
    found['error'] ??= groups?.['error'];
  }
  found['message'] = joinMessages(found['message'], found['error']);
  const proven = proof === undefined ? -1 : lines.findIndex((line) => proof.test(line));
  const more = proven > 1 ? `\n${lines.slice(1, proven).join('\n')}` : '';
  const end = stackEnd === undefined ? -1 : lines.findIndex((line) => stackEnd.test(line));
  const message = `${found['message'] ?? (isLog || format === 'erlang' ? lines.slice(isLog ? 0 : 1).join('\n') : '')}${more}`;
  return {
    errorName: (found['name'] ?? form.name ?? '').replace(/^\{/, ''),
    message: message.trim(),
    stack: isLog && lines.length === 1 ? null : stackFrom(end === -1 ? lines : lines.slice(0, end + 1)),
    level: form.level ?? levelOf(found['level']),
  };
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
  if (outer.includes(inner)) return outer;
  if (inner.includes(outer)) return inner;
  return outer.endsWith(':') ? `${outer} ${inner}` : `${outer}: ${inner}`;
}
