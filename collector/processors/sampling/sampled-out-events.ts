import { ownCopy } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { approximateSize } from '../../receivers/intake/approximate-size.js';

/** Events of one issue that were not kept and that no stored event stands for yet. */
export interface NewSampledOut {
  /** All of them, and those for which they stand themselves; at least 1. */
  readonly events: number;
  /** When the first of them came, milliseconds. */
  readonly sinceMs: number;
  /** The last of them, which may yet be stored on behalf of all. */
  readonly held: {
    readonly payload: RawPayload;
    /** Component id of its receiver. */
    readonly receiver: string;
  };
}

/** The same once they were added. */
export interface SampledOut extends NewSampledOut {
  readonly held: HeldEvent;
}

/** A larger one is most of what it keeps alive, and copying it would keep others waiting. */
const MAX_COPIED_SIZE = 1024 * 1024;

interface HeldEvent {
  readonly payload: RawPayload;
  readonly receiver: string;
  /** About how many characters it has as JSON. */
  readonly size: number;
}

/**
 * What is to be counted yet, by issue, one event held of each. What is taken out belongs to the caller, which settles it or gives it back; until then its
 * held event counts as held.
 */
export class SampledOutEvents {
  readonly #byKey = new Map<string, SampledOut>();
  /** Issues whose held event may keep more alive than itself. */
  readonly #borrowing = new Set<string>();
  readonly #maxHeldSize: number;
  #heldSize = 0;
  #events = 0;

  /** `maxHeldSize`: about how many characters the held events have together at most; those of the batch that reaches it come on top. */
  constructor(maxHeldSize: number) {
    this.#maxHeldSize = maxHeldSize;
  }

  /** All events that are not settled, those that were taken out included. */
  get events(): number {
    return this.#events;
  }

  /** Whether half of the room for held events is used. */
  get isCrowded(): boolean {
    return this.#heldSize * 2 >= this.#maxHeldSize;
  }

  /** Whether no further event should be held. */
  get isFull(): boolean {
    return this.#heldSize >= this.#maxHeldSize;
  }

  /** Adds what was not kept; its held event replaces an earlier one. */
  add(key: string, { events, sinceMs, held }: NewSampledOut): void {
    this.#events += events;
    const { characters: size } = approximateSize(held.payload);
    this.#heldSize += size;
    this.#borrowing.add(key);
    this.#put(key, { events, sinceMs, held: { ...held, size } }, 'newer');
  }

  /** Puts back what was taken out. */
  putBack(key: string, unkept: SampledOut): void {
    this.#borrowing.add(key);
    this.#put(key, unkept, 'older');
  }

  /** Takes out what one issue has. */
  remove(key: string): SampledOut | undefined {
    const unkept = this.#byKey.get(key);
    if (unkept !== undefined) this.#byKey.delete(key);
    return unkept;
  }

  /** Takes out what has waited since before an instant. */
  removeOlderThan(beforeMs: number): [key: string, unkept: SampledOut][] {
    const due: [string, SampledOut][] = [];
    for (const entry of this.#byKey) if (entry[1].sinceMs <= beforeMs) due.push(entry);
    for (const [key] of due) this.#byKey.delete(key);
    return due;
  }

  /** Makes what one issue has the first to go; false where it has nothing. */
  expedite(key: string): boolean {
    const unkept = this.#byKey.get(key);
    if (unkept === undefined) return false;
    this.#byKey.set(key, { ...unkept, sinceMs: Number.NEGATIVE_INFINITY });
    return true;
  }

  /** Of what was taken out, so many events are counted by now; the rest is put back. */
  settle(key: string, unkept: SampledOut, events: number): void {
    this.#events -= events;
    if (events < unkept.events) this.putBack(key, { ...unkept, events: unkept.events - events });
    else this.#heldSize -= unkept.held.size;
  }

  /**
   * Copies the held events that were added since the last time: a text that was cut out of a larger one keeps all of that alive. In slices, and not for each
   * event: those of a storm are replaced all the time.
   */
  async detach(): Promise<void> {
    const slice = beginTimeSlice();
    for (const key of this.#borrowing) {
      if (slice.isOver) await slice.next();
      this.#borrowing.delete(key);
      const unkept = this.#byKey.get(key);
      if (unkept === undefined || unkept.held.size > MAX_COPIED_SIZE) continue;
      const { held } = unkept;
      this.#byKey.set(key, { ...unkept, held: { ...held, payload: ownCopy(held.payload) } });
    }
  }

  #put(key: string, unkept: SampledOut, age: 'newer' | 'older'): void {
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) {
      this.#byKey.set(key, unkept);
      return;
    }
    const [held, other] = age === 'newer' ? [unkept.held, waiting.held] : [waiting.held, unkept.held];
    this.#heldSize -= other.size;
    const sinceMs = Math.min(waiting.sinceMs, unkept.sinceMs);
    this.#byKey.set(key, { events: waiting.events + unkept.events, sinceMs, held });
  }
}
