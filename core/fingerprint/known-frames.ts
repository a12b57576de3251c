import { RecentCache } from './recent-cache.js';
import type { StackFrame } from './stack/frames.js';
import type { StructuredStack } from './stack/structured-frames.js';

/** Stacks with more frames before the deciding one are not cached. */
const MAX_FRAMES = 64;
/** Overhead of an entry, in UTF-16 units. */
const ENTRY_UNITS = 64;
/** Key of the step after the last frame; no frame has an empty text. */
const END = '';

/** Caches values by structured frames. It is a trie of the frames that were visited, from the innermost on: usually one decides. */
export class KnownFrames<Value extends object> {
  /** By step and text of a frame: the next step, or the value if the walk ended there. */
  readonly #steps: RecentCache<string, number | Value>;
  #lastStep = 0;

  /** Holds at most twice `maxUnits` UTF-16 units. */
  constructor(maxUnits: number) {
    this.#steps = new RecentCache(maxUnits);
  }

  get(stack: StructuredStack): Value | undefined {
    let step = rootOf(stack);
    let isOver = false;
    let found: number | Value | undefined;
    stack.walkTexts((text) => {
      found = this.#steps.get(keyOf(step, text));
      if (typeof found === 'number') step = String(found);
      else isOver = true;
      return !isOver;
    });
    if (!isOver) found = this.#steps.get(keyOf(step, END));
    return typeof found === 'number' ? undefined : found;
  }

  set(stack: StructuredStack, walk: WalkExtent, value: Value): void {
    if (walk.frames > MAX_FRAMES) return;
    let step = rootOf(stack);
    let left = walk.frames;
    stack.walkTexts((text) => {
      left--;
      const key = keyOf(step, text);
      if (left === 0 && walk.isStopped) {
        this.#store(key, value);
        return false;
      }
      step = String(this.#stepAfter(key));
      return left > 0;
    });
    if (!walk.isStopped) this.#store(keyOf(step, END), value);
  }

  #stepAfter(key: string): number {
    const known = this.#steps.get(key);
    if (typeof known === 'number') return known;
    this.#lastStep++;
    this.#store(key, this.#lastStep);
    return this.#lastStep;
  }

  #store(key: string, value: number | Value): void {
    this.#steps.set(key, value, key.length + ENTRY_UNITS);
  }
}

/** How far a walk went. */
interface WalkExtent {
  readonly frames: number;
  /** Whether the visitor stopped before the end of the stack. */
  readonly isStopped: boolean;
}

/** Wraps a stack so that `walked` is the extent of its last walk. */
export function watchWalk(stack: StructuredStack): StructuredStack & { readonly walked: WalkExtent } {
  let walked: WalkExtent = { frames: 0, isStopped: false };
  return {
    ...stack,
    get walked() {
      return walked;
    },
    walk(visit: (frame: StackFrame) => boolean) {
      let frames = 0;
      let isStopped = false;
      stack.walk((frame) => {
        frames++;
        isStopped = !visit(frame);
        return !isStopped;
      });
      walked = { frames, isStopped };
    },
  };
}

/** Unambiguous because neither roots nor steps contain a line break. */
function keyOf(step: string, text: string): string {
  return `${step}\n${text}`;
}

/** The first step; other steps are numbers. */
function rootOf({ rootCause, rootMessage, group }: StructuredStack): string {
  const named = group === undefined ? '' : `group ${group.type?.length} ${group.type} ${group.message} `;
  return named + (rootCause === null ? 'none' : `root ${rootCause.length} ${rootCause} ${rootMessage ?? ''}`);
}
