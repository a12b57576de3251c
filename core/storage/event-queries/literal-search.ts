import { OTHER_CAPITALS } from '../../query/required-texts.js';

/** Bytes to look for, and whether a place where they are counts. */
interface Needle {
  readonly bytes: Buffer;
  readonly counts: (block: Buffer, at: number) => boolean;
}

/** Characters of raw lines, the most frequent first; others are rarer. */
const FREQUENT = ' e"ranstoi:lpudcm,.1f/hv0g2yx_-b\\k4}{w3[]()67j598';

/** Finds where raw lines may contain one of some literals, in any case; lines with escapes of their characters may. */
export class LiteralSearch {
  readonly #needles: readonly Needle[];

  /** `literals`: of `requiredTexts`. */
  constructor(literals: readonly string[]) {
    const characters = new Set(literals.flatMap((literal) => literal.split('')));
    const capitals = Object.entries(OTHER_CAPITALS).filter(([letter]) => characters.has(letter));
    this.#needles = [
      ...literals.flatMap(needlesOf),
      ...capitals.map(([, capital]) => ({ bytes: Buffer.from(capital), counts: () => true })),
      { bytes: Buffer.from('\\u'), counts: (block, at) => characters.has(escapedAt(block, at)) },
    ];
  }

  /** Calls `visit` with offsets of such places, in any order; it returns from where on further ones matter. */
  search(block: Buffer, visit: (at: number) => number): void {
    for (const { bytes, counts } of this.#needles) {
      let at = block.indexOf(bytes);
      while (at >= 0) at = block.indexOf(bytes, counts(block, at) ? visit(at) : at + 1);
    }
  }
}

/** The rarest character with the next one, in each case; `Buffer.indexOf` is fast if the first byte is rare. */
function needlesOf(literal: string): Needle[] {
  const characters = [...literal];
  const rarities = characters.map((character) => FREQUENT.indexOf(character)).map((index) => (index < 0 ? 99 : index));
  const rarest = rarities.indexOf(Math.max(...rarities));
  const whole = Buffer.from(literal);
  const distance = Buffer.byteLength(characters.slice(0, rarest).join(''));
  return inEachCase(characters.slice(rarest, rarest + 2)).map((text) => ({
    bytes: Buffer.from(text),
    counts: (block, at) => holdsAt(block, at - distance, whole),
  }));
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
