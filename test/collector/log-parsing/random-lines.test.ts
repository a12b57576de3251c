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

/** All failures of lines that are ten wide each; nothing waits afterwards. */
function failuresIn(all: readonly string[]): TextFailure[] {
  const finder = createFailureLines('error');
  const found = all.flatMap((line, place) => [...finder.push(line, { from: place * 10, to: place * 10 + 10 })]);
  found.push(...finder.flush());
  expect(finder.waitingFrom).toBeUndefined();
  return found;
}

describe('failures in any sequence of lines', () => {
  it('have spans of whole lines, and texts that are lines of their span', () => {
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
      { numRuns: 300 },
    );
  });

  it('have each line at most once', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const marked = all.map((line, place) => `${line}\u001b[${place}m`);
        const marks = failuresIn(marked).flatMap(({ text }) => text.match(/\u001b\[\d+m(?=\n|$)/g) ?? []);
        expect(new Set(marks).size).toBe(marks.length);
      }),
      { numRuns: 300 },
    );
  });

  it('are answered in the order in which they began, and none is found twice when reading again from where it waited', () => {
    fc.assert(
      fc.property(lines, fc.nat(120), (all, at) => {
        const stop = Math.min(at, all.length);
        const first = createFailureLines('error');
        const before = all
          .slice(0, stop)
          .flatMap((line, place) => [...first.push(line, { from: place, to: place + 1 })]);
        const places = before.map(({ span }) => span.from);
        expect(places).toEqual([...places].sort((one, other) => one - other));
        const from = first.waitingFrom ?? stop;
        for (const { span } of before) expect(span.to).toBeLessThanOrEqual(from);
      }),
      { numRuns: 300 },
    );
  });
});
