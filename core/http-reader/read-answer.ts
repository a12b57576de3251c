import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { Fault } from '../event/fault.js';
import { type JsonValue, parseJson } from '../event/json.js';
import { MemberCounter } from '../event/member-counter.js';
import { beginTimeSlice } from '../time-slice.js';

const MIB = 1024 * 1024;
/** Bytes of an answer: decoded ones, where `fetch` decodes it. Less in a small heap, which holds an answer several times while it is parsed. */
const MAX_ANSWER_BYTES = Math.min(32 * MIB, Math.floor(getHeapStatistics().heap_size_limit / 16));
/** A parsed member takes many times its bytes. A page of 500 issues has less than 100,000. */
const MAX_ANSWER_MEMBERS = 500_000;
/** Some of what reads an answer is recursive. */
const MAX_ANSWER_LEVELS = 1_000;
/** Larger answers are read one at a time, so that many of them do not fill the memory. */
const LARGE_BYTES = MIB;
/** Milliseconds that the rest of a large answer may take. */
const MAX_TURN_MS = 10_000;
/** Bytes in which members are counted between two looks at the clock. */
const PIECE_BYTES = 256 * 1024;
const FIRST_BYTES = 16 * 1024;

/** The beginning of a body. */
export interface BoundedBody {
  readonly bytes: Buffer;
  /** False if there was more, which was not read: the stream is destroyed. */
  readonly isWhole: boolean;
}

/** Reads at most `maxBytes` of a body. Rejects as the stream does. `onLarge` is awaited once, above 1 MiB; nothing is read meanwhile. */
export async function readBounded(
  stream: Readable,
  maxBytes: number,
  onLarge: () => Promise<void> = async () => undefined,
): Promise<BoundedBody> {
  // Copied, because a chunk of one byte may keep a whole packet in memory.
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  let isLarge = false;
  for await (const chunk of stream) {
    const end = length + chunk.length;
    // The end of the loop destroys the stream.
    if (end > maxBytes) return { bytes: bytes.subarray(0, length), isWhole: false };
    if (end > LARGE_BYTES && !isLarge) {
      isLarge = true;
      await onLarge();
    }
    if (end > bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, Math.min(2 * bytes.length, maxBytes)));
      bytes.copy(grown, 0, 0, length);
      bytes = grown;
    }
    bytes.set(chunk, length);
    length = end;
  }
  return { bytes: bytes.subarray(0, length), isWhole: true };
}

/**
 * Reads an answer as JSON; undefined if it is not JSON. `where` names its sender. Throws `COLLECTOR_ANSWER_TOO_LARGE` above 32 MiB, 500,000
 * members or 1,000 levels, and `COLLECTOR_UNREACHABLE` (retryable) for a large answer that trickles; rejects as the stream does.
 */
export async function readJsonAnswer(stream: Readable, where: string): Promise<JsonValue | undefined> {
  let endTurn: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const { bytes, isWhole } = await readBounded(stream, MAX_ANSWER_BYTES, async () => {
      endTurn = await takeTurn();
      timer = setTimeout(() => stream.destroy(tooSlow(where)), MAX_TURN_MS);
    });
    if (!isWhole) throw tooLarge(where, `${Math.floor(MAX_ANSWER_BYTES / MIB)} MiB`);
    await checkMembers(bytes, where);
    return parseJson(bytes.toString());
  } finally {
    clearTimeout(timer);
    endTurn?.();
  }
}

/** Reads the answer of `fetch`, which decompresses it, as `readJsonAnswer` does; the signal of `fetch` bounds its time. */
export async function readFetchedJson({ body }: Response, where: string): Promise<JsonValue | undefined> {
  return body === null ? undefined : await readJsonAnswer(Readable.from(body), where);
}

/** Ends with the last large answer of this process, or the one that waits last. */
let lastTurn: Promise<void> = Promise.resolve();

/** Resolves when the earlier large answers were read, with what ends this turn. */
async function takeTurn(): Promise<() => void> {
  const earlier = lastTurn;
  let endTurn = (): void => undefined;
  lastTurn = new Promise((resolve) => {
    endTurn = resolve;
  });
  await earlier;
  return endTurn;
}

async function checkMembers(bytes: Buffer, where: string): Promise<void> {
  const counter = new MemberCounter();
  const slice = beginTimeSlice();
  for (let at = 0; at < bytes.length; ) {
    at = counter.advance(bytes, at, Math.min(bytes.length, at + PIECE_BYTES));
    if (counter.members > MAX_ANSWER_MEMBERS) throw tooLarge(where, `${MAX_ANSWER_MEMBERS} members`);
    if (counter.levels > MAX_ANSWER_LEVELS) throw tooLarge(where, `${MAX_ANSWER_LEVELS} levels`);
    if (slice.isOver) await slice.next();
  }
}

function tooLarge(where: string, bound: string): Fault {
  const sentence = `The answer of ${where} has more than ${bound}, and was not read.`;
  return new Fault('COLLECTOR_ANSWER_TOO_LARGE', sentence);
}

function tooSlow(where: string): Fault {
  const sentence = `The answer of ${where} is large and took longer than ${MAX_TURN_MS / 1000} s.`;
  return new Fault('COLLECTOR_UNREACHABLE', sentence, { retryable: true });
}
