import type { StackFrame } from '../frames.js';
import { parseFrameLines } from './frame-lines.js';
import { nativeFrame } from './native-frame.js';
import type { StackParser } from './stack-parser.js';

const NUMBER = /^\d{1,4}\s+(?=\S)/;
const ADDRESS = /\s0x[0-9a-f]{5,16}\s+/;
/** An image without symbols: load address and offset. */
const UNKNOWN = /^(?:0x[0-9a-f]{5,16}|\S{1,200}) \+ \d{1,12}$/;
const SOURCE = / \(([^()\s]{1,200}:\d{1,9})\)(?: \[inlined\])?$/;
const IN_IMAGE = / \(in [^()]{1,200}\)/;
const STARTS = [/^Last Exception Backtrace:/m, /^Thread \d{1,6}\b.{0,200}Crashed:/m] as const;
const END = /^(?:Thread \d|Binary Images|0\s)/;

/** Crash reports and `backtrace_symbols` of Apple systems: `3   Image   0x0000000102e4   symbol + 120 (File.swift:12)`. */
export const appleParser: StackParser = {
  family: 'apple',
  isEvidence: (line) => parseLine(line) !== null,
  parse: (stack) => parseFrameLines(stack, parseLine, startOf(stack), (line, hasFrames) => hasFrames && END.test(line)),
};

/** Start of the exception's backtrace, else of the crashed thread. */
function startOf(stack: string): number {
  for (const pattern of STARTS) {
    const found = pattern.exec(stack);
    if (found !== null) return found.index + found[0].length;
  }
  return 0;
}

function parseLine(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  if (number === undefined) return null;
  const body = line.slice(number.length);
  const address = ADDRESS.exec(body);
  if (address === null || address.index === 0) return null;
  const image = body.slice(0, address.index).trim();
  if (image.length > 200 || image.startsWith('0x') || image.startsWith('[')) return null;
  const rest = body.slice(address.index + address[0].length);
  const source = SOURCE.exec(rest);
  const symbol = (source === null ? rest : rest.slice(0, source.index)).replace(IN_IMAGE, '');
  const isNamed = !(UNKNOWN.test(symbol) && (symbol.startsWith('0x') || symbol.startsWith(`${image} `)));
  return nativeFrame({ symbol: isNamed ? symbol : '', image, source: source?.[1] ?? '' });
}
