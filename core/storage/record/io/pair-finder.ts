/** Offsets in the needle, bytes there, and the bit that a byte may differ in: that of case for letters. */
export type PairKey = readonly [
  at: number,
  otherAt: number,
  byte: number,
  otherByte: number,
  mask: number,
  otherMask: number,
];

/** The first offset from `at` on, and before `end`, where both bytes are; another number if there is none. */
type FindPair = (at: number, end: number, ...key: PairKey) => number;

/** The fastest finder for a memory. */
export function pairFinder(memory: ArrayBufferLike): FindPair {
  return FINDERS.get(memory) ?? finderOf(new Uint8Array(memory));
}

/** Slow, but works in any memory. */
function finderOf(memory: Uint8Array): FindPair {
  return (from, end, at, otherAt, byte, otherByte, mask, otherMask) => {
    for (let index = from; index < end; index += 1) {
      if (((memory[index + at] ?? 0) | mask) !== byte) continue;
      if (((memory[index + otherAt] ?? 0) | otherMask) === otherByte) return index;
    }
    return -1;
  };
}

/** By memory. */
const FINDERS = new WeakMap<ArrayBufferLike, FindPair>();

const PAGE_BYTES = 64 * 1024;
/** What the module reads beyond the last byte, at most. */
const VECTOR_BYTES = 16;

// Locals of the module: the parameters of `FindPair`, a number and four vectors.
const [AT, END, ONE_AT, OTHER_AT, ONE, OTHER, ONE_MASK, OTHER_MASK, FOUND] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const [ONES, OTHERS, ONE_MASKS, OTHER_MASKS] = [9, 10, 11, 12];

// Instructions, types and sections by the specification of WebAssembly. All sizes and numbers fit into seven bits.
const [I32, V128, I32_ADD, END_BLOCK] = [0x7f, 0x7b, 0x6a, 0x0b];
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const vector = (instruction: number, ...immediate: number[]): number[] => [0xfd, instruction, ...immediate];
const sized = (bytes: readonly number[]): number[] => [bytes.length, ...bytes];
const section = (id: number, ...item: number[]): number[] => [id, ...sized([1, ...item])];
const splat = (to: number, byte: number): number[] => [...get(byte), ...vector(0x0f), ...set(to)];
/** `i8x16.eq(v128.or(v128.load(AT + distance), masks), bytes)` */
const equal = (distance: number, masks: number, bytes: number): number[] => [
  ...[...get(AT), ...get(distance), I32_ADD, ...vector(0x00, 0, 0)],
  ...[...get(masks), ...vector(0x50), ...get(bytes), ...vector(0x23)],
];
const BODY = [
  ...[...splat(ONES, ONE), ...splat(OTHERS, OTHER), ...splat(ONE_MASKS, ONE_MASK), ...splat(OTHER_MASKS, OTHER_MASK)],
  // block, loop, and br_if out of the block for i32.ge_s(AT, END).
  ...[0x02, 0x40, 0x03, 0x40, ...get(AT), ...get(END), 0x4e, 0x0d, 1],
  // FOUND = i8x16.bitmask(v128.and(…, …))
  ...[...equal(ONE_AT, ONE_MASKS, ONES), ...equal(OTHER_AT, OTHER_MASKS, OTHERS), ...vector(0x4e), ...vector(0x64)],
  // If FOUND is not 0, return AT + i32.ctz(FOUND).
  ...[...set(FOUND), ...get(FOUND), 0x04, 0x40, ...get(AT), ...get(FOUND), 0x68, I32_ADD, 0x0f, END_BLOCK],
  // AT += 16, br to the loop; after the block, return -1.
  ...[...get(AT), 0x41, VECTOR_BYTES, I32_ADD, ...set(AT), 0x0c, 0, END_BLOCK, END_BLOCK, 0x41, 0x7f, END_BLOCK],
];
/** `finderOf` for 16 bytes at a time, over an imported memory `m.m`; exported as `f`. */
const MODULE = Uint8Array.from([
  ...[...Buffer.from('\0asm'), 1, 0, 0, 0],
  ...section(1, 0x60, ...sized(new Array<number>(8).fill(I32)), ...sized([I32])),
  ...section(2, ...sized([...Buffer.from('m')]), ...sized([...Buffer.from('m')]), 0x02, 0x00, 0),
  ...section(3, 0),
  ...section(7, ...sized([...Buffer.from('f')]), 0x00, 0),
  ...section(10, ...sized([2, 1, I32, 4, V128, ...BODY])),
]);

/** Returns a buffer of at least `bytes` that needles search fast; a plain one where WebAssembly gets no memory. */
export function allocateSearchable(bytes: number): Buffer {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((bytes + VECTOR_BYTES) / PAGE_BYTES) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { m: { m: memory } });
    FINDERS.set(memory.buffer, exports['f'] as FindPair);
    return Buffer.from(memory.buffer, 0, bytes);
  } catch {
    return Buffer.allocUnsafeSlow(bytes);
  }
}
