import fc from 'fast-check';
import { IngestMemory } from '../../../../collector/component/ingest-memory.js';
import type { HeldBytes } from '../../../../collector/http/decompression/chunk-decoder.js';
import { LineSplitter } from '../../../../collector/receivers/intake/line-splitter.js';

const UNBOUNDED = new IngestMemory().begin();

/** Lines as text; undefined for a line that is too long. */
function linesOf(chunks: readonly string[], maxLineBytes = 1_000, held: HeldBytes = UNBOUNDED): (string | undefined)[] {
  const splitter = new LineSplitter(maxLineBytes, held);
  const lines = chunks.flatMap((chunk) => [...splitter.push(Buffer.from(chunk, 'latin1'))]);
  return [...lines, ...splitter.end()].map((line) => line?.toString('latin1'));
}

describe('lines', () => {
  it('are the same for any chunks', () => {
    const chunk = fc.array(fc.constantFrom('a', 'b', '\n', '\r')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        const expected = chunks.join('').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(chunks)).toEqual(expected);
      }),
    );
  });

  it('above the limit are reported once each, for any chunks', () => {
    const chunk = fc.array(fc.constantFrom('a', 'aaa', '\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        const expected = chunks.join('').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(chunks, 4)).toEqual(expected.map((line) => (line.length > 4 ? undefined : line)));
      }),
    );
  });

  it('without an end count as held memory until they end', () => {
    let held = 0;
    const counted: HeldBytes = {
      acquire: (bytes) => {
        held += bytes;
      },
      release: (bytes) => {
        held -= bytes;
      },
    };
    const splitter = new LineSplitter(1_000, counted);
    expect([...splitter.push(Buffer.from('one\ntwo'))]).toHaveLength(1);
    expect(held).toBe(3);
    expect([...splitter.push(Buffer.from('more\nx'))]).toHaveLength(1);
    expect(held).toBe(1);
    splitter.release();
    splitter.release();
    expect(held).toBe(0);
  });
});
