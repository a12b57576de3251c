/** Issues that may be told apart, four times those of a large store; beyond, threads describe more often than is needed. */
const SLOTS = 2 ** 19;
/** A key, and the first batch that describes it. */
const SLOT_NUMBERS = 2;
const MAX_PROBES = 8;

/** Memory in which several threads note what they describe. */
export function createDescribedIssues(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * SLOT_NUMBERS * Int32Array.BYTES_PER_ELEMENT);
}

/** What one thread looks up in it. */
export interface DescribedIssues {
  /**
   * Whether an event is to be described: no event of its issue in an earlier batch is, nor one before it in this batch. Batches are numbered from
   * 1 in the order in which they count, each is read by one thread, and none is read twice. Two issues may have one key (`describedKey`): the second
   * is then not described, which whoever asked has to make good.
   */
  isFirst(key: number, batch: number): boolean;
}

/** Opens the same memory in a thread. */
export function openDescribedIssues(memory: SharedArrayBuffer): DescribedIssues {
  const slots = new Int32Array(memory);
  return {
    isFirst(key, batch) {
      for (let probe = 0; probe < MAX_PROBES; probe += 1) {
        const at = (((key >>> 0) + probe) % SLOTS) * SLOT_NUMBERS;
        // To look is cheaper than to exchange, and most issues are known.
        const taken = Atomics.load(slots, at) || Atomics.compareExchange(slots, at, 0, key);
        if (taken === 0 || taken === key) return takesBatch(slots, at + 1, batch);
      }
      return true;
    },
  };
}

/** Batches are not read in their order: one that is read later and counts earlier describes too. */
function takesBatch(slots: Int32Array, at: number, batch: number): boolean {
  for (;;) {
    const first = Atomics.load(slots, at);
    if (first !== 0 && first <= batch) return false;
    if (Atomics.compareExchange(slots, at, first, batch) === first) return true;
  }
}

/** What tells apps and services apart, for `describedKey`: 32 bits. */
export function namesKey(app: string, service: string): number {
  let key = 0x811c9dc5 | 0;
  for (const name of [app, service]) {
    for (let place = 0; place < name.length; place += 1) key = Math.imul(key ^ name.charCodeAt(place), 0x01000193);
    key = Math.imul(key ^ name.length, 0x01000193);
  }
  return key;
}

/** What tells issues apart: 32 bits, never 0, which says that a slot is free. `part` is the first 32 bits of the fingerprint. */
export function describedKey(names: number, part: number): number {
  const key = names ^ part;
  return key === 0 ? 1 : key;
}
