import type { EventDetail } from '../../generated/reader-answers.js';
import { type JsonValue, ownValue } from '../event/json.js';
import { readStackLines, type StackLine } from '../fingerprint/stack/stack-lines.js';

/** A call of a stack, or the error above its calls. */
export interface BriefFrame {
  readonly kind: 'error' | 'app' | 'library';
  readonly text: string;
  /** Lines of source around the call, with their numbers. */
  readonly source: readonly string[];
}

const MAX_EXCEPTIONS = 8;
const MAX_FRAMES = 200;
/** Lines of source before and after a call. */
const AROUND = 3;

/** The errors of an event with their calls, innermost first: as its SDK sent them, else as its stack says. */
export function eventFrames({ extra, stack }: Pick<EventDetail['normalized'], 'extra' | 'stack'>): BriefFrame[] {
  const sent = sentFrames(ownValue(extra as JsonValue, 'sentry'));
  return sent.length > 0 ? sent : textFrames(stack ?? '');
}

function sentFrames(sentry: JsonValue | undefined): BriefFrame[] {
  const values = ownValue(ownValue(sentry, 'exception'), 'values');
  const exceptions = Array.isArray(values) ? values.slice(-MAX_EXCEPTIONS).reverse() : [];
  const frames = exceptions.flatMap((exception): BriefFrame[] => {
    const sent = ownValue(ownValue(exception, 'stacktrace'), 'frames');
    if (!Array.isArray(sent) || sent.length === 0) return [];
    const head = [textAt(exception, 'type'), textAt(exception, 'value')].filter((one) => one !== '').join(': ');
    return [{ kind: 'error', text: head, source: [] }, ...sent.slice(-MAX_FRAMES).reverse().map(sentFrame)];
  });
  return frames.some(({ kind }) => kind !== 'error') ? frames : [];
}

function sentFrame(frame: JsonValue): BriefFrame {
  const file = textAt(frame, 'filename') || textAt(frame, 'abs_path') || textAt(frame, 'module');
  const line = ownValue(frame, 'lineno');
  const column = ownValue(frame, 'colno');
  const place = [file, line, column].filter(
    (one) => typeof one === 'number' || (typeof one === 'string' && one !== ''),
  );
  const isApp = ownValue(frame, 'in_app') !== false;
  const text = `${textAt(frame, 'function') || '?'} (${place.join(':')})`;
  return { kind: isApp ? 'app' : 'library', text, source: sourceOf(frame, typeof line === 'number' ? line : 0) };
}

function sourceOf(frame: JsonValue, line: number): string[] {
  const contextLine = ownValue(frame, 'context_line');
  if (typeof contextLine !== 'string') return [];
  const before = linesAt(frame, 'pre_context').slice(-AROUND);
  const after = linesAt(frame, 'post_context').slice(0, AROUND);
  return [...before, contextLine, ...after].map((text, index) => {
    const mark = index === before.length ? '>' : ' ';
    return `  ${mark} ${line + index - before.length} ${text}`;
  });
}

function linesAt(frame: JsonValue, key: string): string[] {
  const lines = ownValue(frame, key);
  return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
}

function textAt(holder: JsonValue, key: string): string {
  const value = ownValue(holder, key);
  return typeof value === 'string' ? value : '';
}

function textFrames(stack: string): BriefFrame[] {
  const { family, lines } = readStackLines(stack);
  if (family === null) return lines.slice(0, MAX_FRAMES).map(({ text }) => ({ kind: 'app', text, source: [] }));
  if (family === 'python') return pythonFrames(lines);
  return lines.map(({ text, frame }) => ({ kind: frame === null ? 'error' : kindOf(frame), text, source: [] }));
}

/** Python writes the innermost call last, and its line of source below it. */
function pythonFrames(lines: readonly StackLine[]): BriefFrame[] {
  const frames: BriefFrame[] = [];
  for (const [index, line] of lines.entries()) {
    const below = lines[index + 1];
    const hasSource = below !== undefined && below.frame === null && below.indent > 0;
    const source = hasSource ? [`    ${below.text}`] : [];
    if (line.frame !== null) frames.push({ kind: kindOf(line.frame), text: line.text, source });
    else if (isHeading(line)) frames.push({ kind: 'error', text: line.text, source: [] });
  }
  return frames.reverse();
}

function kindOf({ inApp }: NonNullable<StackLine['frame']>): BriefFrame['kind'] {
  return inApp ? 'app' : 'library';
}

function isHeading({ indent, text }: StackLine): boolean {
  return indent === 0 && !text.startsWith('Traceback ');
}
