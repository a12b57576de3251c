import type { SourceLink } from './source-link.js';

/** One action of a source. */
export interface ActionPart {
  readonly link: SourceLink;
  readonly actionId: string;
}

const MAX_ACTIONS = 1_000;

/** Actions that were taken in several sources at once, so that they are undone at once too; as long as this process lives. */
export class JointActions {
  readonly #parts = new Map<string, readonly ActionPart[]>();

  remember(parts: readonly ActionPart[]): void {
    if (parts.length < 2) return;
    for (const { actionId } of parts) this.#parts.set(actionId, parts);
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size <= MAX_ACTIONS) return;
      this.#parts.delete(oldest);
    }
  }

  /** What was done with it; empty where it was done alone. */
  partsOf(actionId: string): readonly ActionPart[] {
    return this.#parts.get(actionId) ?? [];
  }
}
