import fc from 'fast-check';
import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import { WatchedStream } from '../../../collector/run/watched-stream.js';

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const splitter = new WatchedStream(createFailureLines('error'), {
    onLine: (line) => lines.push(line),
    onFailure: () => undefined,
    onSilence: () => undefined,
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

describe('the lines of a stream', () => {
  it('are the same for any chunks, even if one ends inside a character', () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '😀', '\n', '\r\n', ' '), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(80), { maxLength: 6 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const offsets = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
        const expected = bytes.toString().split(/\r?\n/);
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(chunks)).toEqual(expected);
      }),
    );
  });

  it('replace invalid UTF-8', () => {
    expect(linesOf([Buffer.from([0x61, 0xff, 0x62, 0x0a])])).toEqual(['a\ufffdb']);
  });

  it('keep only the last text of an overwritten progress bar', () => {
    expect(linesOf([Buffer.from('10 %\r20 %\rTypeError: no\r\n\r\n')])).toEqual(['TypeError: no', '']);
  });

  it('are cut at 1 MiB, and the line after such a line is whole', () => {
    const long = Buffer.alloc(700_000, 'x');
    const [first, second] = linesOf([long, long, long, Buffer.from('\nnext\n')]);
    expect(first?.length).toBe(1024 * 1024);
    expect(second).toBe('next');
  });
});
