import { type Call, splitPosition, writtenCall } from '../families/call.js';
import { dotnetFrame } from '../families/dotnet-frame.js';
import { nativeFrame } from '../families/native-frame.js';
import type { StackFrame } from '../frames.js';
import { eachLine, linesOf, parseFrameLines, withoutLogPrefix } from './frame-lines.js';
import { reportedFailure } from './native-reports.js';
import type { ParsedStack, StackParser } from './stack-parser.js';

const NUMBER =
  /^(?:\* )?(?:frame )?(?:#\d{1,6}:?|\d{1,4}#)\s+|^(?:PC: )?@\s+(?=0x)|^\d{1,4}: (?=0x[0-9a-f]{5,16} .{1,400} \[[^\]]{1,200}\]$)/;
const FIRST = /^(?:\* )?(?:frame )?(?:#0{1,3}:?|0#)\s|^==\d{1,9}==\s{1,8}at 0x/;
/** Valgrind: `==12== at 0x4E36118: total(int) (cart.c:12)` and `==12== by 0x4E36118: main (in /usr/bin/shop)`. */
const VALGRIND = /^==\d{1,9}==\s{1,8}(?:at|by) 0x[0-9a-f]{1,16}: (\S.{0,600})$/i;
const VALGRIND_PLACE = / \((?:in ([^()]{1,400})|([^()]{1,400}:\d{1,9}))\)$/;
const ADDRESS = /^(?:0x[0-9a-f]{1,16}|[0-9a-f]{8,16}(?=\s))\s*/i;
/** Notes after a frame: `(BuildId: …)`, `(inlined by)`, `[inlined]`, and what the log of a program adds. */
const NOTES =
  /(?: \((?:BuildId|inlined|discriminator|offset)\b[^()]{0,100}\)| \[(?:inlined|arm[\w-]{1,12}|x86(?:_64)?|riscv64)\]|, \w{1,20}=\w{1,40}){1,4}$/;
/** The number of a line in a list of frames, which have their own. */
const LISTED = /^\d{1,4} (?=#\d)/;
const ANDROID = /^pc [0-9a-f]{4,16}\s+(\S{1,400})(?: \(offset 0x[0-9a-f]{1,16}\))?(?: \((.{1,400})\))?$/i;
const IMAGE_AND_OFFSET = /^\((\S{1,400})\+0x[0-9a-f]{1,16}\)$/i;
/** `Object "/srv/shop", at 0x55d0, in function` and `Source "cart.cpp", line 12, in function`. */
const DESCRIBED = /^(Object|Source) "([^"]{1,400})", (?:at 0x[0-9a-f]{1,16}|line (\d{1,9}))(?:, in (.{1,400}))?$/;
const IN_BRACKETS = / \[([^\]]{1,200})\]$/;
const SOURCE = /(?:^| )((?:[A-Za-z]:)?[^\s()<>]{1,400}(?::\d{1,9}){1,2})$/;

/** Numbered native frames: number, address, ` in `, function, ` at file:line`, each optional; later stacks are allocations or other threads. */
export const nativeNumberedParser: StackParser = {
  family: 'native_numbered',
  isEvidence: (line) => parseLine(line) !== null,
  parse: parseNumbered,
};

/** What a library writes above a stack whose innermost frame is the last one. */
const INNERMOST_LAST = '(most recent call last)';

function parseNumbered(stack: string): ParsedStack {
  const isReversed = stack.includes(INNERMOST_LAST);
  const lines = isReversed ? linesOf(stack).reverse().join('\n') : stack;
  return { ...parseFrameLines(lines, parseLine, isReversed ? undefined : FIRST), ...reportedFailure(stack) };
}

function parseLine(written: string): StackFrame | null {
  if (written.startsWith('==')) return parseValgrind(written);
  const line = written.includes(' pc ') ? withoutLogPrefix(written).replace(LISTED, '') : written;
  const number = NUMBER.exec(line)?.[0];
  if (number === undefined) return null;
  const body = line.slice(number.length);
  const android = ANDROID.exec(body.replace(NOTES, ''));
  if (android !== null) return nativeFrame(writtenCall({ name: android[2] ?? '', image: android[1] ?? '' }));
  const described = DESCRIBED.exec(body);
  if (described !== null) return describedFrame(described);
  const address = ADDRESS.exec(body)?.[0] ?? '';
  const rest = body.slice(address.length).replace(/^in /, '').replace(NOTES, '');
  const parts = parseImage(rest, address !== '') ?? parseAt(rest) ?? (address === '' ? null : parseSource(rest));
  return parts === null ? null : nativeFrame(writtenCall(parts));
}

function parseValgrind(line: string): StackFrame | null {
  const called = VALGRIND.exec(line)?.[1];
  if (called === undefined) return null;
  const place = VALGRIND_PLACE.exec(called);
  const name = (place === null ? called : called.slice(0, place.index)).replace(/^\?{3}$/, '');
  return nativeFrame(writtenCall({ name, image: place?.[1] ?? '', ...splitPosition(place?.[2] ?? '') }));
}

function describedFrame([, kind, path = '', line, name = '']: RegExpExecArray): StackFrame | null {
  if (kind === 'Object') return nativeFrame(writtenCall({ name, image: path }));
  return nativeFrame(writtenCall({ name, path, line: line === undefined ? null : Number(line) }));
}

/** `function (/lib/x.so+0x1f)`, `(/lib/x.so+0x1f)`, `function () from /lib/x.so`, `image`function at …`, `function in ./program`. */
function parseImage(rest: string, hasAddress: boolean): Partial<Call> | null {
  const open = rest.lastIndexOf('(');
  const inParentheses = open < 0 ? null : IMAGE_AND_OFFSET.exec(rest.slice(open));
  if (inParentheses !== null) return { ...parseSource(rest.slice(0, open).trim()), image: inParentheses[1] ?? '' };
  const bracketed = hasAddress ? IN_BRACKETS.exec(rest) : null;
  if (bracketed?.[1] !== undefined) return { name: rest.slice(0, bracketed.index), image: bracketed[1] };
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

/** glibc: `./program(function+0x1d) [0x5566]`; the name may be empty, or stand behind. */
const GLIBC =
  /^([^\s()]{1,400})(?: [^\s()]{1,100})?\(([^()]{0,400}(?:\([^()]{0,200}\)[^()]{0,100})?)\) ?\[0x[0-9a-f]{1,16}\](?: (\S.{0,400}))?$/;
/** A number before, and a place that was not found behind. */
const AROUND_GLIBC = /^\[\d{1,3}\] (?=\S)| \(\?\?:0\)$/g;
/**
 * Windows: `00 0012ab`c0 module!function+0x1d [C:\file.cpp @ 12]`, or `module.dll+0x1d`; with up to six columns of addresses and arguments.
 * Minidumps of all systems: `0  module!function [file.cpp : 12 + 0x5]`.
 */
const COLUMNS = /^(?:#?[0-9a-f]{1,4}:? {1,2})?(?:(?:0x)?[0-9a-f`]{8,18}[ :]{1,8}){0,6}/i;
const WINDOWS =
  /^([\w.+-]{1,100})!([^\s!+][^+[\]]{0,400}?)(?:\s?\+\s?0x[0-9a-f]{1,16})?(?: bytes)?(?: \[(.{1,400}?)(?: @ | : |:)(\d{1,9})(?: \+ 0x[0-9a-f]{1,8})?\])?(?: Line (\d{1,9}).{0,40}|\s(?:C\+\+|C|Unknown|Symbols? loaded\.))?$/i;
/** What the log of an engine writes before a frame. */
const CALLSTACK = '[Callstack] ';
/** `at `, or the mark of the current frame. */
const BEFORE_WINDOWS = /^(?:at |>\s{0,8})/;
const IMAGE_OFFSET =
  /^([\w.+-]{1,100}\.(?:exe|dll|sys|node|pyd|ocx|drv|dylib|so(?:\.[\d.]{1,12})?))\s?\+\s?(?:0x)?[0-9a-f]{1,16}$/i;

/** The next thread of a minidump. */
const NEXT_THREAD = /^Thread \d/;

/** The place of a failure without a stack: in a report of UBSan, and with its function in an assertion. */
const PLACE =
  /^(?:[^\s:]{1,256}: )?((?:[A-Za-z]:)?[^\s:]{1,512}(?::\d{1,9}){1,2}): (?:runtime error: |(?:(\S.{0,800}?): )?Assertion [`'])/;

/** Where a debugger stopped, printed without a backtrace: `0x5566 in function () from /lib/x.so`. */
const STOPPED = /^0x[0-9a-f]{5,16} in (\S.{0,600})$/;
/** The engine Unity: `0x00007FF8C736CB58 (image) function`. */
const UNITY = /^0x[0-9A-F]{8,16} \(([^()]{1,100})\) (\S.{0,600})$/;
/** The image of managed code. */
const JIT = 'Mono JIT Code';

/** Native frames with an image: `backtrace_symbols` of glibc, and debuggers and crash handlers of Windows; and places of failures. */
export const nativeImagesParser: StackParser = {
  family: 'native_images',
  isEvidence: (line) => parseImageLine(line) !== null,
  parse: (stack) => {
    // The place of a failure counts only without a stack.
    const isPlace = eachLine(stack, (line) => parseLine(line) === null);
    return isPlace
      ? { ...parseFrameLines(stack, parseImageLine, NEXT_THREAD), ...reportedFailure(stack) }
      : parseNumbered(stack);
  },
};

function parseImageLine(line: string): StackFrame | null {
  if (line.startsWith('0x')) return parseUnity(line) ?? parseStopped(line) ?? parseWindows(line);
  return parseGlibc(line) ?? parsePlace(line) ?? parseWindows(line);
}

function parseUnity(line: string): StackFrame | null {
  const [, image = '', name = ''] = UNITY.exec(line) ?? [];
  if (name === '') return null;
  if (image === JIT) return managedFrame(name);
  return nativeFrame(writtenCall({ name: name.startsWith('(') ? '' : name, image }));
}

/** Managed code stands behind its file, if that is known. */
function managedFrame(written: string): StackFrame | null {
  const [place = '', source = ''] = /^\[([^\]]{1,400})\] /.exec(written) ?? [];
  const call = writtenCall({ name: written.slice(place.length), ...splitPosition(source) });
  return dotnetFrame(call, { hasLocations: source !== '' });
}

function parseStopped(line: string): StackFrame | null {
  const stopped = STOPPED.exec(line)?.[1];
  const parts = stopped === undefined ? null : (parseImage(stopped, true) ?? parseAt(stopped));
  if (parts !== null) return nativeFrame(writtenCall(parts));
  return stopped?.endsWith(')') ? nativeFrame(writtenCall({ name: stopped })) : null;
}

function parseGlibc(line: string): StackFrame | null {
  const [, image, inside = '', behind] = line.includes('[0x') ? (GLIBC.exec(line.replace(AROUND_GLIBC, '')) ?? []) : [];
  const name = behind ?? (inside.startsWith('+') ? '' : inside);
  return image === undefined ? null : nativeFrame(writtenCall({ name, image }));
}

function parsePlace(line: string): StackFrame | null {
  const [, source, name = ''] = line.includes(': ') ? (PLACE.exec(line) ?? []) : [];
  return source === undefined ? null : nativeFrame(writtenCall({ name, ...splitPosition(source) }));
}

function parseWindows(line: string): StackFrame | null {
  if (!line.includes('!') && !line.includes('+')) return null;
  const logged = line.indexOf(CALLSTACK);
  const written = logged < 0 ? line : line.slice(logged + CALLSTACK.length);
  const body = written.replace(BEFORE_WINDOWS, '').replace(COLUMNS, '');
  const [, image, name = '', path = '', lineInFile, lineAtEnd] = WINDOWS.exec(body) ?? [];
  if (image === undefined) return nativeOffset(body);
  const isCertain = path !== '' || lineAtEnd !== undefined || /\+\s?0x/.test(body);
  const at = lineInFile ?? lineAtEnd;
  return isCertain ? nativeFrame(writtenCall({ name, image, path, line: at === undefined ? null : Number(at) })) : null;
}

function nativeOffset(body: string): StackFrame | null {
  const image = IMAGE_OFFSET.exec(body)?.[1];
  return image === undefined ? null : nativeFrame(writtenCall({ image }));
}
