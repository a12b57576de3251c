import { splitPosition, writtenCall } from '../families/call.js';
import { nativeFrame } from '../families/native-frame.js';
import type { StackFrame } from '../frames.js';
import { eachLine, parseFrameLines } from './frame-lines.js';
import { reportedFailure } from './native-reports.js';
import type { StackParser } from './stack-parser.js';

const NUMBER = /^\d{1,4} (?:\s{0,8}(?=0x)|(?=\S))(?:\[[a-z ]{1,20}\] ){0,3}/;
const FIRST = /^0 /;
const ADDRESS = /^0x[0-9a-f]{4,16} /;
const NOTES = /^(?:\[[a-z ]{1,20}\] ){1,3}/;
const UNNUMBERED = /^0x[0-9a-f]{4,16}, (\S.{0,800}?)(?: at (\S{1,400}:\d{1,9}))?$/;
const LOCATION = /:\d{1,9}$|\/<compiler-generated>$/;
/** The location of a failed check, printed without a backtrace, possibly in the log of the system. */
const FATAL =
  /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]{0,10}(?:[-+]\d{4})? \S[^[\]]{0,80}\[\d{1,9}:\w{1,12}\] )?(?:Swift runtime failure: )?(\S{1,400}\.swift:\d{1,9}): (?:Fatal error|Precondition failed|Assertion failed)\b/;
const FATAL_AT_END =
  /^(?:Fatal error|Precondition failed|Assertion failed)\b.{0,400}: file (\S{1,400}\.swift), line (\d{1,9})$/;

/** Backtraces of Swift: `1 [ra] 0x00005581 function(of:) + 12 in Program at /app/file.swift:4:11`; without one, the location in the message. */
export const swiftParser: StackParser = {
  family: 'swift',
  isEvidence: (line) => parseLine(line) !== null || parseFatal(line) !== null,
  parse: (stack) => {
    const hasFrames = !eachLine(stack, (line) => parseLine(line) === null);
    return hasFrames ? parseFrameLines(stack, parseLine, FIRST) : parseFrameLines(stack, parseFatal);
  },
};

function parseLine(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  if (number === undefined) return parseUnnumbered(line);
  let body = line.slice(number.length);
  const address = ADDRESS.exec(body)?.[0] ?? '';
  body = body.slice(address.length);
  const notes = NOTES.exec(body)?.[0] ?? '';
  body = body.slice(notes.length);
  const at = LOCATION.test(body) ? body.lastIndexOf(' at ') : -1;
  const named = at < 0 ? body : body.slice(0, at);
  const within = named.lastIndexOf(' in ');
  const image = within < 0 ? '' : named.slice(within + 4);
  const symbol = within < 0 ? '' : named.slice(0, within);
  const isCertain = address !== '' || at > 0 || /\+ \d{1,12}$|^\S+\(\S*\)$/.test(symbol);
  if (!isCertain || symbol === '' || /\s/.test(image)) return null;
  const source = at < 0 ? '' : body.slice(at + 4);
  const location = splitPosition(source.endsWith('<compiler-generated>') ? '' : source);
  const frame = nativeFrame(writtenCall({ name: symbol, image, ...location }));
  const isSystem = number.includes('[system]') || notes.includes('[system]');
  return frame !== null && isSystem ? { ...frame, inApp: false } : frame;
}

/** The package `swift-backtrace`; an address without a symbol is no frame. */
function parseUnnumbered(line: string): StackFrame | null {
  const [, name, source = ''] = line.startsWith('0x') ? (UNNUMBERED.exec(line) ?? []) : [];
  if (name === undefined) return null;
  return nativeFrame(writtenCall({ name, ...splitPosition(source.includes('<compiler-generated>') ? '' : source) }));
}

function parseFatal(line: string): StackFrame | null {
  const first = FATAL.exec(line)?.[1];
  if (first !== undefined) return nativeFrame(writtenCall(splitPosition(first)));
  const [, path, at] = FATAL_AT_END.exec(line) ?? [];
  return path === undefined ? null : nativeFrame(writtenCall({ path, line: Number(at) }));
}

const REPORT_NUMBER = /^(?:at )?\d{1,4}\s+(?=\S)/;
const REPORT_ADDRESS = /\s0x[0-9a-f]{3,16}\s+/;
/** An image without symbols: load address and offset. */
const UNKNOWN = /^(?:0x[0-9a-f]{5,16}|\S{1,200}) \+ \d{1,12}$/;
const SOURCE = / \(([^()\s]{1,200}(?::\d{1,9}){1,2})\)(?: \[inlined\])?$/;
const IN_IMAGE = / \(in [^()]{1,200}\)/;
const STARTS = [
  /^Last Exception Backtrace:/m,
  /^Application Specific Backtrace \d{1,3}:/m,
  /^Thread \d{1,6}\b.{0,200}Crashed:/m,
] as const;
const UNCAUGHT = '*** Terminating app due to uncaught exception ';
const END = /^(?:Thread \d|Binary Images|0\s)/;

/** Crash reports and `backtrace_symbols` of Apple systems: `3   Image   0x0000000102e4   symbol + 120 (File.swift:12)`. */
export const appleParser: StackParser = {
  family: 'apple',
  isEvidence: (line) => parseReportLine(line) !== null || line.includes(UNCAUGHT),
  parse: (stack) => ({ ...parseFrameLines(stack, parseReportLine, END, startOf(stack)), ...reportedFailure(stack) }),
};

/** Start of the exception's backtrace, else of the crashed thread. */
function startOf(stack: string): number {
  for (const pattern of STARTS) {
    const found = pattern.exec(stack);
    if (found !== null) return found.index + found[0].length;
  }
  return 0;
}

function parseReportLine(line: string): StackFrame | null {
  const number = REPORT_NUMBER.exec(line)?.[0];
  if (number === undefined) return null;
  const body = line.slice(number.length);
  const address = REPORT_ADDRESS.exec(body);
  if (address === null || address.index === 0) return null;
  const image = body.slice(0, address.index).trim();
  if (image.length > 200 || image.startsWith('0x') || image.startsWith('[')) return null;
  const rest = body.slice(address.index + address[0].length);
  const source = SOURCE.exec(rest);
  const symbol = (source === null ? rest : rest.slice(0, source.index)).replace(IN_IMAGE, '');
  const isNamed = !(UNKNOWN.test(symbol) && (symbol.startsWith('0x') || symbol.startsWith(`${image} `)));
  return nativeFrame(writtenCall({ name: isNamed ? symbol : '', image, ...splitPosition(source?.[1] ?? '') }));
}
