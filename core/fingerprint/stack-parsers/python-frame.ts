import { normalizeFile } from '../frame-file.js';
import { normalizeFunction } from '../frame-function.js';
import type { StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';

const PLACE = /^File "([^"]{1,500})", line (\d{1,9})(?:, in (.{1,256}))?$/;
const IPYTHON_CELL = /^Cell In ?\[\d{1,9}\], line (\d{1,9})/;
const IPYTHON_PLACE = /^File (\S{1,500}):(\d{1,9})(?:, in ([\w<>.]{1,256})\(.*)?$/;
/** Code that was given as text; all else in angle brackets was made by the language or a library. */
const GIVEN_AS_TEXT = /^<(string|stdin|console|ipython-input|unknown)\b/;
/** Newer versions run these within the function that holds them. */
const INLINED = /^<(?:list|dict|set)comp>$/;
const MODULE = '<module>';

/** Whether a line, without what stands before it, tells the place of a call. */
export function isPythonPlace(line: string): boolean {
  if (line.startsWith('File ')) return PLACE.test(line) || IPYTHON_PLACE.test(line);
  return line.startsWith('Cell In') && IPYTHON_CELL.test(line);
}

/** Reads `File "cart.py", line 3, in total`, the place of a syntax error, which has no function, and what IPython makes of it. */
export function pythonFrame(line: string): StackFrame | null {
  const place = PLACE.exec(line) ?? IPYTHON_PLACE.exec(line);
  if (place !== null) return frameAt(place[1] ?? '', Number(place[2]), place[3] ?? MODULE);
  const cell = IPYTHON_CELL.exec(line);
  return cell === null ? null : frameAt('<ipython-input>', Number(cell[1]), MODULE);
}

function frameAt(path: string, line: number, name: string): StackFrame | null {
  if (INLINED.test(name)) return null;
  const text = path.startsWith('<') ? GIVEN_AS_TEXT.exec(path) : null;
  return {
    function: normalizeFunction(name),
    module: null,
    file: path.startsWith('<') ? `<${text?.[1] ?? 'generated'}>` : normalizeFile(path),
    line,
    column: null,
    inApp: path.startsWith('<') ? text !== null : isAppFile(path),
  };
}
