import { RecentCache } from './recent-cache.js';
import type { StackFrame } from './stack/frames.js';
import type { StructuredStack } from './stack/structured-frames.js';

/** Frames that may be read before a stack is not worth remembering. */
const MAX_FRAMES = 64;
/** What an entry costs beside its key, in UTF-16 units. */
const ENTRY_UNITS = 64;
/** Behind the last frame; no frame has it for its text. */
const END = '';

/**
 * Remembers what was read from structured frames. Only the frames that the reading looked at are compared, one after the other from the innermost on,
 * as it did: most often one of them decides.
 */
export class KnownFrames<Value extends object> {
  /** By what was walked before and the text of a frame: where the walk goes on, or what was read when it ended there. */
  readonly #steps: RecentCache<string, number | Value>;
  #lastStep = 0;

  /** Holds texts of twice `maxUnits` UTF-16 units at most. */
  constructor(maxUnits: number) {
    this.#steps = new RecentCache(maxUnits);
  }

  get(stack: StructuredStack): Value | undefined {
    let place = rootOf(stack);
    let isOver = false;
    let found: number | Value | undefined;
    stack.walkTexts((text) => {
      found = this.#steps.get(keyOf(place, text));
      if (typeof found === 'number') place = String(found);
      else isOver = true;
      return !isOver;
    });
    if (!isOver) found = this.#steps.get(keyOf(place, END));
    return typeof found === 'number' ? undefined : found;
  }

  /** Remembers what a reading of the frames answered. */
  set(stack: StructuredStack, walk: WatchedWalk, value: Value): void {
    if (walk.frames > MAX_FRAMES) return;
    let place = rootOf(stack);
    let left = walk.frames;
    stack.walkTexts((text) => {
      left--;
      const key = keyOf(place, text);
      if (left === 0 && walk.isStopped) {
        this.#keep(key, value);
        return false;
      }
      place = String(this.#stepBehind(key));
      return left > 0;
    });
    if (!walk.isStopped) this.#keep(keyOf(place, END), value);
  }

  #stepBehind(key: string): number {
    const known = this.#steps.get(key);
    if (typeof known === 'number') return known;
    this.#lastStep++;
    this.#keep(key, this.#lastStep);
    return this.#lastStep;
  }

  #keep(key: string, value: number | Value): void {
    this.#steps.set(key, value, key.length + ENTRY_UNITS);
  }
}

/** How far a reading of a stack went. */
interface WatchedWalk {
  readonly frames: number;
  /** Whether the reader had seen enough, and not the stack its end. */
  readonly isStopped: boolean;
}

/** A stack that tells how far its last walk went. */
export function watched(stack: StructuredStack): StructuredStack & { readonly walked: WatchedWalk } {
  let walked: WatchedWalk = { frames: 0, isStopped: false };
  return {
    ...stack,
    get walked() {
      return walked;
    },
    walk(take: (frame: StackFrame) => boolean) {
      let frames = 0;
      let isStopped = false;
      stack.walk((frame) => {
        frames++;
        isStopped = !take(frame);
        return !isStopped;
      });
      walked = { frames, isStopped };
    },
  };
}

/** Neither a root nor a step has a line break. */
function keyOf(place: string, text: string): string {
  return `${place}\n${text}`;
}

/** No step begins as these do. */
function rootOf({ rootCause, rootMessage }: StructuredStack): string {
  return rootCause === null ? 'none' : `root ${rootCause.length} ${rootCause} ${rootMessage ?? ''}`;
}
