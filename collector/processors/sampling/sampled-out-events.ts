import { isJsonObject, type JsonObject, ownCopy } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { approximateSize } from '../../receivers/intake/approximate-size.js';

/** Sampled-out events of one issue that no stored event represents yet. */
export interface NewSampledOut {
  /** Their total weight, at least 1. */
  readonly events: number;
  /** Time of the first one, milliseconds. */
  readonly sinceMs: number;
  /** The payload of the last one, which may be stored as their summary. */
  readonly held: RawPayload;
  /** Component id. */
  readonly receiver: string;
}

export interface SampledOut extends NewSampledOut {
  /** Approximate characters of the held payload as JSON. */
  readonly size: number;
}

/** A larger event is most of what it keeps alive, and copying it would block. */
const MAX_COPIED_SIZE = 1024 * 1024;

/** Sampled-out events by issue, with one held event each. Removed entries count as held until the caller settles them or puts them back. */
export class SampledOutEvents {
  readonly #byKey = new Map<string, SampledOut>();
  /** Issues whose held event may share memory with a larger text. */
  readonly #uncopied = new Set<string>();
  readonly #maxHeldSize: number;
  #heldSize = 0;
  /** Unsettled events, including removed ones. */
  events = 0;

  /** `maxHeldSize`: approximate limit of characters in held events; the batch that reaches it may exceed it. */
  constructor(maxHeldSize: number) {
    this.#maxHeldSize = maxHeldSize;
  }

  /** Whether held events use half of the limit. */
  get isCrowded(): boolean {
    return this.#heldSize * 2 >= this.#maxHeldSize;
  }

  get isFull(): boolean {
    return this.#heldSize >= this.#maxHeldSize;
  }

  /** Adds events; the held event replaces an earlier one. */
  add(key: string, sampledOut: NewSampledOut): void {
    this.events += sampledOut.events;
    const { characters: size } = approximateSize(sampledOut.held);
    this.#heldSize += size;
    this.#uncopied.add(key);
    this.#put(key, { ...sampledOut, size }, 'newer');
  }

  putBack(key: string, sampledOut: SampledOut): void {
    this.#uncopied.add(key);
    this.#put(key, sampledOut, 'older');
  }

  remove(key: string): SampledOut | undefined {
    const sampledOut = this.#byKey.get(key);
    if (sampledOut !== undefined) this.#byKey.delete(key);
    return sampledOut;
  }

  /** Removes entries that have waited since `beforeMs` or longer. */
  removeOlderThan(beforeMs: number): [key: string, sampledOut: SampledOut][] {
    const due: [string, SampledOut][] = [];
    for (const entry of this.#byKey) if (entry[1].sinceMs <= beforeMs) due.push(entry);
    for (const [key] of due) this.#byKey.delete(key);
    return due;
  }

  /** Makes an issue due at once; returns false if it has no entry. */
  expedite(key: string): boolean {
    const sampledOut = this.#byKey.get(key);
    if (sampledOut === undefined) return false;
    this.#byKey.set(key, { ...sampledOut, sinceMs: Number.NEGATIVE_INFINITY });
    return true;
  }

  /** Marks `events` of a removed entry as counted; puts the rest back. */
  settle(key: string, sampledOut: SampledOut, events: number): void {
    this.events -= events;
    if (events < sampledOut.events) this.putBack(key, { ...sampledOut, events: sampledOut.events - events });
    else this.#heldSize -= sampledOut.size;
  }

  /** Copies new held events, whose slices keep whole texts alive; later and in time slices, because in a storm most are replaced. */
  async detach(): Promise<void> {
    const slice = beginTimeSlice();
    for (const key of this.#uncopied) {
      if (slice.isOver) await slice.next();
      this.#uncopied.delete(key);
      const sampledOut = this.#byKey.get(key);
      if (sampledOut === undefined || sampledOut.size > MAX_COPIED_SIZE) continue;
      this.#byKey.set(key, { ...sampledOut, held: ownCopy(sampledOut.held) });
    }
  }

  #put(key: string, sampledOut: SampledOut, age: 'newer' | 'older'): void {
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) {
      this.#byKey.set(key, sampledOut);
      return;
    }
    const [newer, older] = age === 'newer' ? [sampledOut, waiting] : [waiting, sampledOut];
    this.#heldSize -= older.size;
    const sinceMs = Math.min(waiting.sinceMs, sampledOut.sinceMs);
    this.#byKey.set(key, { ...newer, events: waiting.events + sampledOut.events, sinceMs });
  }
}

/** Sets how many further events an event represents; a sender's value there that is not an object moves to `extra.faultline.sender`. */
export function withSampledCount(payload: RawPayload, sampled: number): RawPayload {
  const { extra } = payload;
  const part = partOf(extra);
  if (sampled > 0) return { ...payload, extra: { ...extra, faultline: { ...part, sampled } } };
  if (part?.['sampled'] === undefined) return payload;
  const { sampled: _, ...rest } = part;
  return { ...payload, extra: { ...extra, faultline: rest } };
}

function partOf(extra: JsonObject | null): JsonObject | undefined {
  if (extra === null || !Object.hasOwn(extra, 'faultline')) return undefined;
  const part = extra['faultline'];
  return isJsonObject(part) ? part : { sender: part ?? null };
}
