import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import { failuresOf } from './fixture-lines.js';

const HEADER = 'java.lang.IllegalStateException: order 5';
const FRAME = '\tat com.example.shop.Main.main(Main.java:3)';

function texts(lines: readonly string[]): string[] {
  return failuresOf(lines).map(({ text }) => text);
}

describe('lines of others inside a trace', () => {
  it('are left out of it, up to three in a row', () => {
    expect(texts([HEADER, FRAME, 'GET /', 'GET /', 'GET /', FRAME])).toEqual([[HEADER, FRAME, FRAME].join('\n')]);
    expect(texts([HEADER, FRAME, 'GET /', 'GET /', 'GET /', 'GET /', FRAME])).toEqual([[HEADER, FRAME].join('\n')]);
  });

  it('are looked at on their own, and a failure among them is answered behind the one it lies in', () => {
    const finder = createFailureLines('error');
    const lines = [HEADER, FRAME, '{"level":"error","msg":"queue is full"}', FRAME];
    for (const [place, line] of lines.entries()) expect(finder.push(line, { from: place, to: place + 1 })).toEqual([]);
    expect(finder.waitingFrom).toBe(0);
    expect(finder.flush().map(({ format, span }) => [format, span.from, span.to])).toEqual([
      ['java', 0, 4],
      ['json', 2, 3],
    ]);
    expect(finder.waitingFrom).toBeUndefined();
  });

  it('may be those of another container, also when both print traces of one language', () => {
    const one = ['api-1  | TypeError: one', 'api-1  |     at load (/srv/one.js:1:2)'];
    const two = ['web-1  | TypeError: two', 'web-1  |     at load (/srv/two.js:3:4)'];
    const mixed = [one[0], two[0], two[1], one[1]].map((line) => line ?? '');
    expect(texts(mixed)).toEqual([one.join('\n'), two.join('\n')]);
  });

  it('end a trace when a new one of its kind follows', () => {
    const second = [HEADER.replace('5', '6'), FRAME];
    expect(texts([HEADER, FRAME, ...second])).toEqual([[HEADER, FRAME].join('\n'), second.join('\n')]);
  });
});

describe('where lines wait', () => {
  it('is nowhere while nothing has begun', () => {
    const finder = createFailureLines('error');
    for (let place = 0; place < 100; place += 1) {
      finder.push(`2026-11-21 10:00:00 INFO took job ${place}`, { from: place, to: place + 1 });
      expect(finder.waitingFrom).toBeUndefined();
    }
  });

  it('is given up for what only looked like a beginning', () => {
    const finder = createFailureLines('error');
    finder.push('TypeError: without frames', { from: 0, to: 26 });
    expect(finder.waitingFrom).toBe(0);
    for (let place = 0; place < 20; place += 1) finder.push('ordinary', { from: 26 + place * 9, to: 35 + place * 9 });
    expect(finder.waitingFrom).toBeUndefined();
    expect(finder.flush()).toEqual([]);
  });
});
