import fc from 'fast-check';
import { HeldBody, IngestMemory } from '../../../../collector/component/ingest-memory.js';
import { type ElementSpan, JsonArrayScanner } from '../../../../collector/receivers/events/json-array-scanner.js';

/** Cuts bytes at the given positions. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const positions = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...positions].map((start, index) => bytes.subarray(start, positions[index]));
}

function elementsOf(text: string, cuts: readonly number[] = []): string[] {
  const body = new HeldBody(new IngestMemory().begin());
  const spans: ElementSpan[] = [];
  const scanner = new JsonArrayScanner(0, (span) => void spans.push(span));
  for (const piece of pieces(Buffer.from(text), cuts)) {
    body.add(piece);
    scanner.push(piece);
  }
  scanner.end();
  return spans.map(({ start, end }) => body.slice(start, end).toString());
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('the elements of a JSON array', () => {
  it('are those that JSON.parse finds, for any chunks and any white space', () => {
    const space = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, cuts, (values, indent, positions) => {
        const parsed = elementsOf(JSON.stringify(values, null, indent), positions).map((text) => JSON.parse(text));
        expect(parsed).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });

  it('may hold brackets, commas and quotes in their strings', () => {
    expect(elementsOf('["[", "]\\"],", {"a,[":"}\\\\"}]')).toEqual(['"["', ' "]\\"],"', ' {"a,[":"}\\\\"}']);
  });

  it('are found or rejected for any text', () => {
    const noise = fc
      .array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', ' ', '1', 'a', ':'))
      .map((parts) => `[${parts.join('')}`);
    fc.assert(
      fc.property(noise, cuts, (text, positions) => {
        const isJson = parses(text);
        let found: string[] | undefined;
        try {
          found = elementsOf(text, positions);
        } catch (error) {
          expect(error).toMatchObject({ code: 'MALFORMED_JSON' });
        }
        // The scanner accepts all that JSON.parse accepts, and arrays with invalid elements.
        if (isJson) expect(found?.map((element) => JSON.parse(element))).toEqual(JSON.parse(text));
      }),
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
