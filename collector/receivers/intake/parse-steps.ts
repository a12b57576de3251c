import { isAscii, isUtf8, transcode } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../../../core/event/fault.js';
import { MemberCounter } from '../../../core/event/member-counter.js';
import { parseSentJson, type SentJson, sentJsonSteps } from '../../../core/event/sent-json.js';
import { tooManyMembers } from '../../../core/event/validate/payload-check.js';
import { thinSteps } from '../../../core/event/validate/thin-json.js';

/** Bytes of JSON that are parsed in one turn of the event loop. */
const MAX_SYNC_BYTES = 256 * 1024;
/** Bytes in which members are counted in one turn. */
const PIECE_BYTES = 1024 * 1024;

/** Whether a text is parsed in one turn, without counting its members first: a member needs two bytes. */
export function isSmallText(bytes: Buffer, maxMembers: number): boolean {
  return bytes.length <= Math.min(2 * maxMembers, MAX_SYNC_BYTES);
}

/** `parseSentJson` of one event; above 256 KiB it yields where the event loop should turn. Throws also `EVENT_TOO_MANY_MEMBERS`. */
export function* parseSteps(bytes: Buffer, maxMembers: number, isLenient = false): Generator<undefined, SentJson> {
  if (yield* hasMoreMembers(bytes, maxMembers)) throw tooMany(maxMembers);
  return yield* parseText(bytes, isLenient);
}

/** As `parseSteps`, but leaves out what is too much. Throws `EVENT_TOO_MANY_MEMBERS` if that is not possible. */
export function* parseThinned(bytes: Buffer, maxMembers: number, isLenient = false): Generator<undefined, SentJson> {
  if (!(yield* hasMoreMembers(bytes, maxMembers))) return yield* parseText(bytes, isLenient);
  const thinned = yield* thinSteps(bytes, maxMembers);
  if (thinned === undefined) throw tooMany(maxMembers);
  try {
    return { ...(yield* parseText(thinned.bytes, isLenient)), leftOut: thinned.leftOut };
  } catch (cause) {
    // A position in the rest of the text would mislead.
    throw new SyntaxError('a part of it is malformed', { cause });
  }
}

function* hasMoreMembers(bytes: Buffer, maxMembers: number): Generator<undefined, boolean> {
  // A member needs two bytes, so small texts are not scanned.
  if (bytes.length <= 2 * maxMembers) return false;
  const counter = new MemberCounter();
  for (let at = 0; at < bytes.length && counter.members <= maxMembers; ) {
    at = counter.advance(bytes, at, Math.min(bytes.length, at + PIECE_BYTES));
    if (bytes.length > MAX_SYNC_BYTES) yield undefined;
  }
  return counter.members > maxMembers;
}

function tooMany(maxMembers: number): Fault {
  return new Fault('EVENT_TOO_MANY_MEMBERS', tooManyMembers(maxMembers));
}

function* parseText(bytes: Buffer, isLenient: boolean): Generator<undefined, SentJson> {
  if (bytes.length <= MAX_SYNC_BYTES) return parseSentJson(bytes.toString(), isLenient);
  const text = decodeText(bytes);
  yield undefined;
  const sent = yield* sentJsonSteps(text, isLenient);
  yield undefined;
  return sent;
}

/** Runs each step in its own turn of the event loop. */
export async function runSteps<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await nextTurn();
  }
}

/** `transcode` is much faster than `toString` if the text is not ASCII; only `toString` replaces bytes that are not UTF-8. */
function decodeText(bytes: Buffer): string {
  if (isAscii(bytes) || !isUtf8(bytes)) return bytes.toString();
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}
