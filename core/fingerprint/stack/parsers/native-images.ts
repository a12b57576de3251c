import type { StackFrame } from '../frames.js';
import { parseFrameLines } from './frame-lines.js';
import { nativeFrame, sanitizerKind } from './native-frame.js';
import type { StackParser } from './stack-parser.js';

/** glibc: `./program(function+0x1d) [0x5566]`; the name may be empty. */
const GLIBC = /^([^\s()]{1,400})\(([^()]{0,400}(?:\([^()]{0,200}\)[^()]{0,100})?)\) ?\[0x[0-9a-f]{1,16}\]$/;
/** Windows: `00 0012ab`c0 module!function+0x1d [C:\file.cpp @ 12]`, or `module.dll+0x1d`. */
const COLUMNS = /^(?:#?[0-9a-f]{1,4}:? )?(?:(?:0x)?[0-9a-f`]{8,18}[ :]{1,4}){0,3}/i;
const WINDOWS =
  /^([\w.-]{1,100})!([^\s!+][^+[\]]{0,400}?)(?:\s?\+\s?0x[0-9a-f]{1,16})?(?: bytes)?(?: \[(.{1,400}?) @ (\d{1,9})\])?(?: Line (\d{1,9}).{0,40})?$/i;
const WINDOWS_OFFSET = /^([\w.-]{1,100}\.(?:exe|dll|sys|node|pyd|ocx|drv))\s?\+\s?(?:0x)?[0-9a-f]{1,16}$/i;

/** The place of a failure without a stack: in a report of UBSan, and with its function in an assertion. */
const PLACE =
  /^(?:[^\s:]{1,256}: )?((?:[A-Za-z]:)?[^\s:]{1,512}(?::\d{1,9}){1,2}): (?:runtime error: |(?:(\S.{0,800}?): )?Assertion [`'])/;

/** Native frames with an image: `backtrace_symbols` of glibc, and debuggers and crash handlers of Windows; and places of failures. */
export const nativeImagesParser: StackParser = {
  family: 'native_images',
  isEvidence: (line) => parseLine(line) !== null,
  parse: (stack) => ({ ...parseFrameLines(stack, parseLine), rootCause: sanitizerKind(stack) }),
};

function parseLine(line: string): StackFrame | null {
  if (line.endsWith(']') && line.includes('[0x')) {
    const glibc = GLIBC.exec(line);
    if (glibc !== null) {
      const symbol = glibc[2] ?? '';
      return nativeFrame({ symbol: symbol.startsWith('+') ? '' : symbol, image: glibc[1] ?? '', source: '' });
    }
  }
  const place = line.includes(': ') ? PLACE.exec(line) : null;
  if (place !== null) return nativeFrame({ symbol: place[2] ?? '', image: '', source: place[1] ?? '' });
  if (!line.includes('!') && !line.includes('+')) return null;
  const body = line.replace(/^at /, '').replace(COLUMNS, '');
  const windows = WINDOWS.exec(body);
  if (windows !== null) {
    const path = windows[3];
    const location = path === undefined ? '' : `${path}:${windows[4] ?? ''}`;
    const isCertain = path !== undefined || windows[5] !== undefined || /\+\s?0x/.test(body);
    return isCertain ? nativeFrame({ symbol: windows[2] ?? '', image: windows[1] ?? '', source: location }) : null;
  }
  const offset = WINDOWS_OFFSET.exec(body);
  return offset === null ? null : nativeFrame({ symbol: '', image: offset[1] ?? '', source: '' });
}
