import fc from 'fast-check';
import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import type { TextFailure } from '../../../collector/log-parsing/text-failure.js';
import { fixtureLines, fixtureNames } from './fixture-lines.js';

const KNOWN = [...new Set(fixtureNames().flatMap((name) => fixtureLines(name).slice(0, 40)))];
const lines = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...KNOWN) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constantFrom('', '}', '    ', '{', 'ordinary line') },
  ),
  { maxLength: 120 },
);

/** All failures in lines of ten bytes each; no line waits afterwards. */
function failuresIn(all: readonly string[]): TextFailure[] {
  const finder = createFailureLines('error');
  const found = all.flatMap((line, index) => [...finder.push(line, { from: index * 10, to: index * 10 + 10 })]);
  found.push(...finder.flush());
  expect(finder.waitingFrom).toBe(Number.POSITIVE_INFINITY);
  return found;
}

describe('failures in any sequence of lines', () => {
  it('have spans of complete lines, and texts that are lines of their span', () => {
    fc.assert(
      fc.property(lines, (all) => {
        for (const { span, text, value } of failuresIn(all)) {
          expect(span.from).toBeLessThan(span.to);
          const within = all.slice(span.from / 10, span.to / 10).join('\n');
          expect(within.startsWith(text.split('\n', 1)[0] ?? '')).toBe(true);
          expect(text.length).toBeLessThanOrEqual(within.length);
          expect(typeof value['error_name']).toBe('string');
          expect(typeof value['message']).toBe('string');
        }
      }),
    );
  });

  it('contain each line at most once', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const marked = all.map((line, index) => `${line}\u001b[${index}m`);
        const marks = failuresIn(marked).flatMap(({ text }) => text.match(/\u001b\[\d+m(?=\n|$)/g) ?? []);
        expect(new Set(marks).size).toBe(marks.length);
      }),
    );
  });

  it('are returned in the order in which they began, and none twice if lines are read again from where the finder waited', () => {
    fc.assert(
      fc.property(lines, fc.nat(120), (all, at) => {
        const stop = Math.min(at, all.length);
        const first = createFailureLines('error');
        const before = all
          .slice(0, stop)
          .flatMap((line, index) => [...first.push(line, { from: index, to: index + 1 })]);
        const indexes = before.map(({ span }) => span.from);
        expect(indexes).toEqual([...indexes].sort((one, other) => one - other));
        const from = Math.min(first.waitingFrom, stop);
        for (const { span } of before) expect(span.to).toBeLessThanOrEqual(from);
      }),
    );
  });
});
