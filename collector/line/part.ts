import { isDeepStrictEqual } from 'node:util';
import type { Component } from '../component.js';
import type { Passage } from './passage.js';

/** What one component of the line is, and what it was built from. */
export interface PartOptions {
  /** Under which it is configured; a processor has one instance for each pipeline. */
  readonly id: string;
  /** For people and states: `receiver`, `processor`, `exporter`, `extension` or `telemetry`. */
  readonly kind: string;
  /** What makes it the same component after a reload, although its settings may differ. */
  readonly key: string;
  /** Everything that decides how it works: equal, and a reload keeps it. Plain data. */
  readonly basis: unknown;
  /** Under which it asks for doors and sockets; default its id. */
  readonly owner?: string;
  /** Whether two of the same key must never run at a time, because they keep something on the disk under it; default false. */
  readonly isAlone?: boolean;
  /** Where its batches come in; absent: it takes none, or lets none of its own be waited for. */
  readonly entry?: Passage;
  /** Where its batches go out; absent: it hands none on. */
  readonly exit?: Passage;
}

/** One component of the line with what a reload has to know of it. */
export class Part<Kind extends Component> {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  readonly isAlone: boolean;
  readonly entry: Passage | undefined;
  readonly exit: Passage | undefined;
  #basis: unknown;
  #component: Kind;
  readonly #build: () => Kind;

  constructor(options: PartOptions, build: () => Kind) {
    this.id = options.id;
    this.kind = options.kind;
    this.key = options.key;
    this.owner = options.owner ?? options.id;
    this.isAlone = options.isAlone ?? false;
    this.entry = options.entry;
    this.exit = options.exit;
    this.#basis = options.basis;
    this.#build = build;
    this.#component = build();
  }

  get component(): Kind {
    return this.#component;
  }

  /** Everything that decides how it works. */
  get basis(): unknown {
    return this.#basis;
  }

  /** Whether it is what a configuration asks for, as it is. */
  isAsAsked({ key, basis }: Pick<PartOptions, 'key' | 'basis'>): boolean {
    return this.key === key && isDeepStrictEqual(this.#basis, basis);
  }

  /** Another component of the same settings, for one that was shut down and is to run again. */
  rebuild(): void {
    this.#component = this.#build();
  }

  /** It does not run as it should: the next reload replaces it, whatever its settings. */
  spoil(): void {
    this.#basis = new Error('spoiled');
  }
}
