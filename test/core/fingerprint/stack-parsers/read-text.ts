import fc from 'fast-check';
import type { StackFrame } from '../../../../core/fingerprint/stack/frames.js';
import type { ParsedStack, StackParser } from '../../../../core/fingerprint/stack/parsers/stack-parser.js';
import { detectParser } from '../../../../core/fingerprint/stack/parsers/stack-parsers.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';

/** All frames of a parsed stack, in order. */
export function walkedFrames(stack: Pick<ParsedStack, 'walk'>): StackFrame[] {
  const frames: StackFrame[] = [];
  stack.walk((frame) => frames.push(frame) > 0);
  return frames;
}

/** All frames of a text, in order. */
export function framesOf(stack: string): StackFrame[] {
  const parser = detectParser(stack);
  return parser === null ? [] : framesBy(parser, stack);
}

/** The frames that this parser finds in a text. */
export function framesBy(parser: StackParser, stack: string): StackFrame[] {
  return walkedFrames(parser.parse(stack));
}

/** Names of the in-app frames. */
export function appFunctions(stack: string): (string | null)[] {
  return framesOf(stack)
    .filter((frame) => frame.inApp)
    .map((frame) => frame.function);
}

/** Family, type and message of the root cause. */
export function outlineOf(stack: string): [string | undefined, string | null | undefined, string | null | undefined] {
  const parser = detectParser(stack);
  const parsed = parser?.parse(stack);
  return [parser?.family, parsed?.rootCause, parsed?.rootMessage];
}

/** The fingerprint of an event with this stack. */
export function fingerprintOf(stack: string, error_name = 'Failure', message = ''): string {
  return computeFingerprint(serverPayload({ stack, error_name, message })).value;
}

/** Tests the promises of every parser: numbers do not change the fingerprint, and any text is parsed without an error. */
export function describeText(
  language: string,
  parser: StackParser,
  trace: string,
  make: (line: number, address: string) => string,
): void {
  describe(`the text of ${language}`, () => {
    it('has one fingerprint for any lines and addresses', () => expectNumbersDoNotMatter(make));

    it('is parsed without throwing', () => {
      expectTotal(parser, trace);
      for (const text of hostileTexts(trace)) expect(fingerprintOf(text)).toHaveLength(32);
    });
  });
}

/** Expects at most as many frames as lines in any text of these pieces. */
export function expectFramesOfLines(parser: StackParser, pieces: readonly string[]): void {
  const piece = fc.constantFrom(...pieces);
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 80 }), (parts) => {
      const stack = parts.join('');
      expect(framesBy(parser, stack).length).toBeLessThanOrEqual(stack.split('\n').length);
    }),
  );
}

/** Expects a parser not to throw, and to return the same result twice, for lines of a trace in any order with any text in between. */
function expectTotal(parser: StackParser, trace: string): void {
  const line = fc.oneof(
    fc.constantFrom(...trace.split('\n')),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.tuple(fc.constantFrom(...trace.split('\n')), fc.nat({ max: 80 })).map(([text, end]) => text.slice(0, end)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 24 }), (lines) => {
      const read = () => {
        const parsed = parser.parse(lines.join('\n'));
        return [walkedFrames(parsed), parsed.rootCause, parsed.rootMessage];
      };
      expect(read()).toEqual(read());
      for (const text of lines) expect(typeof parser.isEvidence(text.trim())).toBe('boolean');
    }),
  );
}

/** `make` writes a trace with these line numbers and this address. */
function expectNumbersDoNotMatter(make: (line: number, address: string) => string): void {
  const first = fingerprintOf(make(1, '0x1'));
  const address = fc.bigInt({ min: 1n, max: 0xffff_ffff_ffffn }).map((value) => `0x${value.toString(16)}`);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), address, (line, at) => {
      expect(fingerprintOf(make(line, at))).toBe(first);
    }),
  );
}

/** Texts that repeat each line of a trace, complete and truncated, many times. */
function hostileTexts(trace: string): string[] {
  return trace
    .split('\n')
    .flatMap((line) => [
      `${line}\n`.repeat(4_000),
      line.repeat(2_000),
      `${line.slice(0, -1).repeat(40)}\n`.repeat(100),
      `${' '.repeat(1_000)}${line}\n`.repeat(100),
    ]);
}
