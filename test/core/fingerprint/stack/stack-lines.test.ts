import { readStackLines } from '../../../../core/fingerprint/stack/stack-lines.js';

describe('a stack line by line', () => {
  it('has the frame of each call, and the root that grouping uses', () => {
    const stack = 'AError: a\n    at run (/srv/x/run.js:1:2)\n  [cause]: BError: b\n      at goOn (/srv/x/go.js:3:4)';
    const { family, lines, rootCause, rootMessage, isCut } = readStackLines(stack);
    expect(family).toMatch(/^v8/);
    expect(lines.map(({ indent, frame }) => [indent, frame?.function ?? null, frame?.line ?? null])).toEqual([
      [0, null, null],
      [4, 'run', 1],
      [2, null, null],
      [6, 'goOn', 3],
    ]);
    expect([rootCause, rootMessage, isCut]).toEqual(['BError', 'b', false]);
  });

  it('has no family if no line is a frame', () => {
    expect(readStackLines('nothing\nof use')).toMatchObject({
      family: null,
      lines: [{ frame: null }, { frame: null }],
    });
  });

  it('is parsed up to a limit', () => {
    expect(readStackLines('    at run (/srv/x/run.js:1:2)\n'.repeat(100_000)).isCut).toBe(true);
  });
});
