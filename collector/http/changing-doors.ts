import type { HttpDoor } from './http-door.js';
import { ServedDoors } from './served-doors.js';

/**
 * The doors of one endpoint over the changes of the configuration: what requests find now, and what they will find. Order of a change: `begin`, doors
 * are added, `settle`, doors open, then `commit` or `abort`.
 */
export class ChangingDoors {
  readonly #where: string;
  /** What requests find. */
  #served: ServedDoors;
  /** The doors that came since a change began. */
  #coming: ServedDoors | undefined;
  /** What requests will find. */
  #staged: ServedDoors | undefined;
  readonly #leaving = new WeakSet<HttpDoor>();

  /** `where` is the endpoint as an operator writes it, for faults. */
  constructor(where: string) {
    this.#where = where;
    this.#served = new ServedDoors(where);
  }

  /** What requests find now. */
  get served(): ServedDoors {
    return this.#served;
  }

  /** Whether no door will be left after the change. */
  get isGoing(): boolean {
    return this.#staged?.doors.length === 0;
  }

  /** Whether a door was left out by a change. */
  isLeaving(door: HttpDoor): boolean {
    return this.#leaving.has(door);
  }

  add(door: HttpDoor): void {
    (this.#coming ?? this.#served).doors.push(door);
  }

  /** Where the routes of a door belong. */
  with(door: HttpDoor): ServedDoors {
    return this.#coming?.doors.includes(door) === true ? this.#coming : this.#served;
  }

  /** From now on doors that are added count for after the change. Safe twice. */
  begin(): void {
    this.#coming ??= new ServedDoors(this.#where);
  }

  /** Judges what will be served when some doors have left. Throws `ROUTE_TAKEN`. */
  settle(isLeaving: (door: HttpDoor) => boolean): void {
    if (this.#coming === undefined) return;
    const isStaying = new Set(this.#coming.doors);
    this.#staged = this.#served.changed((door) => !isStaying.has(door) && isLeaving(door), this.#coming);
    // Nobody is served here yet who could be disturbed.
    if (this.#served.doors.length === 0) this.#served = this.#staged;
  }

  /** From this turn on requests find what was settled; where nothing is left, they find closing doors. */
  commit(): void {
    const after = this.#staged;
    if (after === undefined) return;
    for (const door of this.#served.doors) if (!after.doors.includes(door)) this.#leaving.add(door);
    if (after.doors.length > 0) this.#served = after;
    this.abort();
  }

  /** Goes on as before the change. */
  abort(): void {
    this.#coming = undefined;
    this.#staged = undefined;
  }
}
