import { type Call, writtenCall } from '../families/call.js';
import { nativeFrame } from '../families/native-frame.js';
import type { StackFrame } from '../frames.js';
import { parseFrameLines, splitPosition } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';

/** UTF-16 units of a report that are searched for its kind. */
const MAX_REPORT = 8_192;
const KIND =
  /(?:(?:ERROR|WARNING): [A-Z]\w{1,40}Sanitizer|:\d{1,9}: runtime error): ([^:'(\n]{1,120}?)(?= on | in |[:'(\n]|$)/;
const VALUE = /-?\b(?:0x[\da-f]{1,16}|\d[\d.e+]{0,40})/g;

/** The kind of error that a sanitizer reports, without its values; null if the text is not a report. */
function sanitizerKind(stack: string): string | null {
  const start = stack.slice(0, MAX_REPORT);
  if (!start.includes('Sanitizer: ') && !start.includes(': runtime error: ')) return null;
  return KIND.exec(start)?.[1]?.replace(VALUE, '<n>').trim() ?? null;
}

const NUMBER = /^(?:\* )?(?:frame )?(?:#\d{1,6}:?|\d{1,4}#)\s+/;
const FIRST = /^(?:\* )?(?:frame )?(?:#0{1,3}:?|0#)\s/;
const ADDRESS = /^(?:0x[0-9a-f]{1,16}|[0-9a-f]{8,16}(?=\s))\s*/i;
/** Notes after a frame: `(BuildId: …)`, `(inlined by)`, `[inlined]`. */
const NOTES = /(?: \((?:BuildId|inlined|discriminator|offset)\b[^()]{0,100}\)| \[inlined\]){1,4}$/;
const ANDROID = /^pc [0-9a-f]{4,16}\s+(\S{1,400})(?: \(offset 0x[0-9a-f]{1,16}\))?(?: \((.{1,400})\))?$/i;
const IMAGE_AND_OFFSET = /^\((\S{1,400})\+0x[0-9a-f]{1,16}\)$/i;
const SOURCE = /(?:^| )((?:[A-Za-z]:)?[^\s()<>]{1,400}(?::\d{1,9}){1,2})$/;

/** Numbered native frames: number, address, ` in `, function, ` at file:line`, each optional; later stacks are allocations or other threads. */
export const nativeNumberedParser: StackParser = {
  family: 'native_numbered',
  isEvidence: (line) => parseLine(line) !== null,
  parse: (stack) => ({ ...parseFrameLines(stack, parseLine, FIRST), rootCause: sanitizerKind(stack) }),
};

function parseLine(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  if (number === undefined) return null;
  const body = line.slice(number.length);
  const android = ANDROID.exec(body.replace(NOTES, ''));
  if (android !== null) return nativeFrame(writtenCall({ name: android[2] ?? '', image: android[1] ?? '' }));
  const address = ADDRESS.exec(body)?.[0] ?? '';
  const rest = body.slice(address.length).replace(/^in /, '').replace(NOTES, '');
  const parts = parseImage(rest, address !== '') ?? parseAt(rest) ?? (address === '' ? null : parseSource(rest));
  return parts === null ? null : nativeFrame(writtenCall(parts));
}

/** `function (/lib/x.so+0x1f)`, `(/lib/x.so+0x1f)`, `function () from /lib/x.so`, `image`function at …`, `function in ./program`. */
function parseImage(rest: string, hasAddress: boolean): Partial<Call> | null {
  const open = rest.lastIndexOf('(');
  const inParentheses = open < 0 ? null : IMAGE_AND_OFFSET.exec(rest.slice(open));
  if (inParentheses !== null) return { ...parseSource(rest.slice(0, open).trim()), image: inParentheses[1] ?? '' };
  const from = rest.lastIndexOf(' from ');
  if (from > 0) return { name: rest.slice(0, from), image: rest.slice(from + 6) };
  const tick = rest.indexOf('`');
  if (tick > 0 && !rest.slice(0, tick).includes(' ')) {
    const inImage = rest.slice(tick + 1);
    return { ...(parseAt(inImage) ?? { name: inImage }), image: rest.slice(0, tick) };
  }
  const within = rest.lastIndexOf(' in ');
  const image = within < 0 ? '' : rest.slice(within + 4);
  const isImage = within > 0 && !/\s/.test(image) && (hasAddress || /^\.?\//.test(image));
  return isImage ? { name: rest.slice(0, within), image } : null;
}

/** `function (a=1) at file.c:12`. */
function parseAt(rest: string): Partial<Call> | null {
  const at = rest.lastIndexOf(' at ');
  if (at <= 0 || !/\S:\d{1,9}$/.test(rest)) return null;
  return { name: rest.slice(0, at), ...splitPosition(rest.slice(at + 4)) };
}

/** `function /app/file.c:12:5`, or the function alone. */
function parseSource(rest: string): Partial<Call> | null {
  if (rest === '') return null;
  const source = SOURCE.exec(rest);
  return source === null ? { name: rest } : { name: rest.slice(0, source.index), ...splitPosition(source[1] ?? '') };
}

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
  isEvidence: (line) => parseImageLine(line) !== null,
  parse: (stack) => ({ ...parseFrameLines(stack, parseImageLine), rootCause: sanitizerKind(stack) }),
};

function parseImageLine(line: string): StackFrame | null {
  return parseGlibc(line) ?? parsePlace(line) ?? parseWindows(line);
}

function parseGlibc(line: string): StackFrame | null {
  const [, image, name = ''] = line.endsWith(']') && line.includes('[0x') ? (GLIBC.exec(line) ?? []) : [];
  return image === undefined ? null : nativeFrame(writtenCall({ name: name.startsWith('+') ? '' : name, image }));
}

function parsePlace(line: string): StackFrame | null {
  const [, source, name = ''] = line.includes(': ') ? (PLACE.exec(line) ?? []) : [];
  return source === undefined ? null : nativeFrame(writtenCall({ name, ...splitPosition(source) }));
}

function parseWindows(line: string): StackFrame | null {
  if (!line.includes('!') && !line.includes('+')) return null;
  const body = line.replace(/^at /, '').replace(COLUMNS, '');
  const [, image, name = '', path = '', lineInFile, lineAtEnd] = WINDOWS.exec(body) ?? [];
  if (image === undefined) return nativeOffset(body);
  const isCertain = path !== '' || lineAtEnd !== undefined || /\+\s?0x/.test(body);
  const at = lineInFile === undefined ? null : Number(lineInFile);
  return isCertain ? nativeFrame(writtenCall({ name, image, path, line: at })) : null;
}

function nativeOffset(body: string): StackFrame | null {
  const image = WINDOWS_OFFSET.exec(body)?.[1];
  return image === undefined ? null : nativeFrame(writtenCall({ image }));
}
