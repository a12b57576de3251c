import { MAX_LOOKED } from './trace-family.js';

/** A message of several lines: what stands behind its beginning in the first line, and the lines up to the first that belongs to the trace. */
export function messageFrom(
  lines: readonly string[],
  first: number,
  messageAt: number,
  isTrace: (line: string) => boolean,
): string {
  const parts = [lines[first]?.slice(messageAt) ?? ''];
  for (const line of lines.slice(first + 1)) {
    if (isTrace(line.slice(0, MAX_LOOKED))) break;
    parts.push(line);
  }
  return parts.join('\n').trim();
}

/** The lines from the name of the error on, without what a logger printed before it. */
export function stackFrom(lines: readonly string[], first = 0, at = 0): string {
  return [lines[first]?.slice(at) ?? '', ...lines.slice(first + 1)].join('\n').trimEnd();
}
