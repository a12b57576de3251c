import { OTHER_CAPITALS } from '../../query/required-texts.js';

/** Bytes to look for, and whether a place where they are counts. */
interface Needle {
  readonly bytes: Buffer;
  readonly counts: (block: Buffer, at: number) => boolean;
}

/** Finds where raw lines may contain one of some literals, in any case; lines with escapes of their characters may. */
export class LiteralSearch {
  readonly #literals: readonly string[];
  #needles: readonly Needle[] | undefined;

  /** `literals`: of `requiredTexts`. */
  constructor(literals: readonly string[]) {
    this.#literals = literals;
  }

  /** Calls `visit` with offsets of such places, in any order; it returns from where on further ones matter. */
  search(block: Buffer, visit: (at: number) => number): void {
    this.#needles ??= needlesOf(this.#literals, new ByteShares(block));
    for (const { bytes, counts } of this.#needles) {
      let at = block.indexOf(bytes);
      while (at >= 0) at = block.indexOf(bytes, counts(block, at) ? visit(at) : at + 1);
    }
  }
}

function needlesOf(literals: readonly string[], shares: ByteShares): Needle[] {
  const characters = new Set(literals.flatMap((literal) => literal.split('')));
  const capitals = Object.entries(OTHER_CAPITALS).filter(([letter]) => characters.has(letter));
  return [
    ...literals.flatMap((literal) => spellingsOf(literal, shares)),
    ...capitals.map(([, capital]) => ({ bytes: Buffer.from(capital), counts: () => true })),
    { bytes: Buffer.from('\\u'), counts: (block, at) => characters.has(escapedAt(block, at)) },
  ];
}

/** Returning to JavaScript costs so many times what `Buffer.indexOf` needs where only the first byte is equal. */
const COST_OF_RESULT = 6;

/** Two neighbours of a literal, in each case: those that `Buffer.indexOf` finds fastest, because the first is rare. */
function spellingsOf(literal: string, shares: ByteShares): Needle[] {
  const characters = [...literal];
  const costs = characters.map((character, at) => {
    const next = characters[at + 1];
    return shares.of(character) * (1 + COST_OF_RESULT * (next === undefined ? 1 : shares.of(next)));
  });
  const cheapest = costs.indexOf(Math.min(...costs));
  const whole = Buffer.from(literal);
  const distance = Buffer.byteLength(characters.slice(0, cheapest).join(''));
  return inEachCase(characters.slice(cheapest, cheapest + 2)).map((text) => ({
    bytes: Buffer.from(text),
    counts: (block, at) => holdsAt(block, at - distance, whole),
  }));
}

const SAMPLES = 4096;

/** How frequent bytes are in a block, by a sample. */
class ByteShares {
  readonly #counts = new Uint32Array(256);
  #samples = 0;

  constructor(block: Buffer) {
    // An odd distance, so that lines of equal length are sampled everywhere.
    const step = Math.floor(block.length / SAMPLES) | 1;
    for (let at = 0; at < block.length; at += step) {
      const byte = lowerCaseOf(block[at] ?? 0);
      this.#counts[byte] = (this.#counts[byte] ?? 0) + 1;
      this.#samples += 1;
    }
  }

  /** Of the first byte of a character, in any case. */
  of(character: string): number {
    const [byte = 0] = Buffer.from(character);
    return (this.#counts[byte] ?? 0) / Math.max(1, this.#samples);
  }
}

function inEachCase([first, ...others]: readonly string[]): string[] {
  if (first === undefined) return [''];
  return [...new Set([first, first.toUpperCase()])].flatMap((form) => inEachCase(others).map((rest) => form + rest));
}

/** Whether a block holds a literal at an offset, ignoring the case of ASCII letters. */
function holdsAt(block: Buffer, start: number, literal: Buffer): boolean {
  for (let index = 0; index < literal.length; index += 1) {
    if (lowerCaseOf(block[start + index] ?? 0) !== literal[index]) return false;
  }
  return true;
}

const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const CASE_DISTANCE = 0x20;

function lowerCaseOf(byte: number): number {
  return byte >= CAPITAL_A && byte <= CAPITAL_Z ? byte + CASE_DISTANCE : byte;
}

/** The first character of the lower case of what an escape such as `\u0041` stands for. */
function escapedAt(block: Buffer, at: number): string {
  const code = Number.parseInt(block.toString('latin1', at + 2, at + 6), 16);
  return String.fromCharCode(code).toLowerCase().charAt(0);
}
