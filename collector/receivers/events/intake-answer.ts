import type { EventNote } from '../../../core/event/note.js';
import type { StoredEvent } from '../../../core/event/stages.js';

/** Why one event of a request was not taken, design section 6. */
export interface Rejection {
  /** Place in the request: of the array's element, or of the line among those that are not blank. */
  readonly index: number;
  /** JSON pointer; empty for the event as a whole. */
  readonly field: string;
  readonly code: string;
  readonly reason: string;
}

/** An event that is in the record, with its place in the request. */
export interface TakenEvent {
  readonly index: number;
  readonly stored: StoredEvent;
  readonly notes: readonly EventNote[];
}

/** Rejections beyond these are only counted: a request of a hundred thousand bad lines needs no answer of ten megabytes. */
const MAX_LISTED_REJECTIONS = 1_000;

/** Collects what became of one request's events and writes the answer, in pieces so that a long one is never one string. */
export class IntakeAnswer {
  readonly #isMinimal: boolean;
  readonly #rejected: Rejection[] = [];
  readonly #eventTexts: string[] = [];
  #accepted = 0;
  #rejections = 0;

  /** A minimal answer leaves `events` out (`Prefer: return=minimal`). */
  constructor(isMinimal: boolean) {
    this.#isMinimal = isMinimal;
  }

  /** Events that are stored, or dropped because an operator wanted so. */
  get accepted(): number {
    return this.#accepted;
  }

  get rejected(): readonly Rejection[] {
    return this.#rejected;
  }

  /** 422 when there was something and all of it was bad. */
  get status(): 200 | 422 {
    return this.#accepted === 0 && this.#rejections > 0 ? 422 : 200;
  }

  reject(rejection: Rejection): void {
    this.#rejections++;
    if (this.#rejected.length < MAX_LISTED_REJECTIONS) this.#rejected.push(rejection);
  }

  /** Counts accepted events; those that were stored are listed. */
  accept(events: number, taken: readonly TakenEvent[]): void {
    this.#accepted += events;
    if (this.#isMinimal || taken.length === 0) return;
    const entries = taken.map(({ index, stored, notes }) => ({ index, ...stored, ...(notes.length > 0 && { notes }) }));
    this.#eventTexts.push(JSON.stringify(entries).slice(1, -1));
  }

  /** The body: `{accepted, rejected, events}`, and `rejected_count` when `rejected` does not list all. */
  texts(): string[] {
    const isCut = this.#rejections > this.#rejected.length;
    const head = {
      accepted: this.#accepted,
      rejected: this.#rejected,
      ...(isCut && { rejected_count: this.#rejections }),
    };
    if (this.#isMinimal) return [JSON.stringify(head)];
    const events = this.#eventTexts.map((text, index) => (index === 0 ? text : `,${text}`));
    return [`${JSON.stringify(head).slice(0, -1)},"events":[`, ...events, ']}'];
  }
}
