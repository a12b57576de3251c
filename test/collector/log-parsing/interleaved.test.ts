import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import { failuresOf } from './fixture-lines.js';

const HEADER = 'java.lang.IllegalStateException: order 5';
const FRAME = '\tat com.example.shop.Main.main(Main.java:3)';

function texts(lines: readonly string[]): string[] {
  return failuresOf(lines).map(({ text }) => text);
}

describe('other lines within a trace', () => {
  it('are not part of it, up to three in a row', () => {
    expect(texts([HEADER, FRAME, 'GET /', 'GET /', 'GET /', FRAME])).toEqual([[HEADER, FRAME, FRAME].join('\n')]);
    expect(texts([HEADER, FRAME, 'GET /', 'GET /', 'GET /', 'GET /', FRAME])).toEqual([[HEADER, FRAME].join('\n')]);
  });

  it('are parsed on their own, and a failure among them is returned after the one that surrounds it', () => {
    const finder = createFailureLines('error');
    const lines = [HEADER, FRAME, '{"level":"error","msg":"queue is full"}', FRAME];
    for (const [index, line] of lines.entries()) expect(finder.push(line, { from: index, to: index + 1 })).toEqual([]);
    expect(finder.waitingFrom).toBe(0);
    expect(finder.flush().map(({ format, span }) => [format, span.from, span.to])).toEqual([
      ['java', 0, 4],
      ['json', 2, 3],
    ]);
    expect(finder.waitingFrom).toBe(Number.POSITIVE_INFINITY);
  });

  it('may be those of another container, also if both print traces of one language', () => {
    const one = ['api-1  | TypeError: one', 'api-1  |     at load (/srv/one.js:1:2)'];
    const two = ['web-1  | TypeError: two', 'web-1  |     at load (/srv/two.js:3:4)'];
    const mixed = [one[0], two[0], two[1], one[1]].map((line) => line ?? '');
    expect(texts(mixed)).toEqual([one.join('\n'), two.join('\n')]);
  });

  it('end a trace if a new one of its kind follows', () => {
    const second = [HEADER.replace('5', '6'), FRAME];
    expect(texts([HEADER, FRAME, ...second])).toEqual([[HEADER, FRAME].join('\n'), second.join('\n')]);
  });
});

describe('the first waiting line', () => {
  it('is undefined before a trace has begun', () => {
    const finder = createFailureLines('error');
    for (let index = 0; index < 100; index += 1) {
      finder.push(`2026-11-21 10:00:00 INFO took job ${index}`, { from: index, to: index + 1 });
      expect(finder.waitingFrom).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('is released if what seemed a trace is not one', () => {
    const finder = createFailureLines('error');
    finder.push('TypeError: without frames', { from: 0, to: 26 });
    expect(finder.waitingFrom).toBe(0);
    for (let index = 0; index < 20; index += 1) finder.push('ordinary', { from: 26 + index * 9, to: 35 + index * 9 });
    expect(finder.waitingFrom).toBe(Number.POSITIVE_INFINITY);
    expect(finder.flush()).toEqual([]);
  });
});
