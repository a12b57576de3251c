import { uptime } from 'node:os';
import { Fault } from '../../../event/fault.js';
import { bootId } from '../../files/process-table.js';

/** Microseconds of an hour. */
export const MICROS_PER_HOUR = 3_600_000_000;

/** The hour of a timestamp, in hours since the epoch. */
export function hourOfMicros(micros: number): number {
  return Math.floor(micros / MICROS_PER_HOUR);
}

/** Formats a timestamp as `YYYY-MM-DDTHH:MM:SS.ffffffZ` (RFC 3339). */
export function formatMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = micros - ms * 1000;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Parses the form of `formatMicros`; undefined for anything else. */
export function parseMicros(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  const micros = Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26));
  // Date.parse reads February 31 as March 3.
  return Number.isSafeInteger(micros) && formatMicros(micros) === text ? micros : undefined;
}

/** A monotonic clock that continues across processes. */
export interface Uptime {
  /** Id of the boot from which `ms` counts; undefined if the system has none. */
  readonly bootId: string | undefined;
  /** Milliseconds since boot, including time suspended. */
  ms(): number;
}

/** Reading the uptime opens a file; between two reads the process clock is added. */
const UPTIME_READ_MS = 1_000;

/** The uptime of this machine. */
export function machineUptime(): Uptime {
  let uptimeMs = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return {
    bootId: bootId(),
    ms() {
      const nowMs = performance.now();
      if (nowMs - readAtMs > UPTIME_READ_MS) [uptimeMs, readAtMs] = [uptime() * 1000, nowMs];
      return uptimeMs + nowMs - readAtMs;
    },
  };
}

interface ArrivalClockOptions {
  /** Wall clock in milliseconds, default `Date.now`. */
  nowMs?: () => number;
  /** `Uptime.ms`, against which the wall clock is checked; default `nowMs`: the wall clock is believed. */
  uptimeMs?: () => number;
  /** The greatest timestamp of the folder, default 0 for a new folder. */
  lastMicros?: number;
  /** Called with `CLOCK_AHEAD` if the wall clock jumps ahead, and with `CLOCK_BEHIND` if it is behind the folder. */
  onFault?: ((fault: Fault) => void) | undefined;
}

/** A wall clock further ahead of the uptime jumped; a smaller step is a correction. */
const JUMP_MS = 10 * 60_000;
/** How long a jumped wall clock must stay ahead before it is believed. */
const BELIEVE_AFTER_MS = 10 * 60_000;

/**
 * The clock of commits and actions: whole microseconds since the epoch, strictly increasing over the life of a folder. The wall clock is
 * believed at the start, when it goes back, and ten minutes after it jumped ahead, because an issued timestamp is final. While it is more
 * than an hour behind the folder, timestamps advance by the uptime, so that hours still end.
 */
export class ArrivalClock {
  readonly #nowMs: () => number;
  readonly #uptimeMs: () => number;
  readonly #onFault: ((fault: Fault) => void) | undefined;
  #lastMicros: number;
  /** Uptime at the last issued timestamp. */
  #lastUptimeMs: number;
  /** What the believed wall clock is ahead of the uptime. */
  #offsetMs: number;
  /** Uptime at which the wall clock jumped ahead; undefined if it is believed. */
  #aheadFromMs: number | undefined;
  #isBehind = false;

  constructor({ nowMs = Date.now, uptimeMs = nowMs, lastMicros = 0, onFault }: ArrivalClockOptions = {}) {
    this.#nowMs = nowMs;
    this.#uptimeMs = uptimeMs;
    this.#onFault = onFault;
    this.#lastMicros = lastMicros;
    this.#lastUptimeMs = uptimeMs();
    this.#offsetMs = nowMs() - this.#lastUptimeMs;
  }

  /** The greatest timestamp issued or known. */
  get lastMicros(): number {
    return this.#lastMicros;
  }

  /** The earliest timestamp that `next` can return now. */
  now(): number {
    return this.#earliestAt(this.#uptimeMs());
  }

  /** A timestamp later than all before: the wall clock's, if it is believed and not behind. */
  next(): number {
    return this.nextRun(1);
  }

  /** The first of `count` consecutive timestamps in one hour. */
  nextRun(count: number): number {
    const upMs = this.#uptimeMs();
    let first = this.#earliestAt(upMs);
    const nextHour = (hourOfMicros(first) + 1) * MICROS_PER_HOUR;
    if (first + count > nextHour) first = nextHour;
    this.#lastMicros = first + count - 1;
    this.#lastUptimeMs = upMs;
    return first;
  }

  /** Makes every later timestamp greater than this one. */
  holdAbove(micros: number): void {
    if (micros <= this.#lastMicros) return;
    this.#lastMicros = micros;
    this.#lastUptimeMs = this.#uptimeMs();
  }

  #earliestAt(upMs: number): number {
    const wallMicros = this.#believedMicros(upMs);
    const wasBehind = this.#isBehind;
    this.#isBehind = this.#lastMicros - wallMicros > MICROS_PER_HOUR;
    if (!this.#isBehind) return Math.max(wallMicros, this.#lastMicros + 1);
    if (!wasBehind) this.#onFault?.(clockBehind(this.#lastMicros, wallMicros));
    return this.#lastMicros + Math.max(1, Math.floor((upMs - this.#lastUptimeMs) * 1000));
  }

  /** The wall clock, or what it would say if it had not jumped ahead. */
  #believedMicros(upMs: number): number {
    const wallMs = this.#nowMs();
    const expectedMs = upMs + this.#offsetMs;
    if (wallMs - expectedMs <= JUMP_MS) this.#aheadFromMs = undefined;
    else if (this.#aheadFromMs === undefined) {
      this.#aheadFromMs = upMs;
      this.#onFault?.(clockAhead(expectedMs * 1000, wallMs * 1000));
    }
    if (this.#aheadFromMs !== undefined && upMs - this.#aheadFromMs < BELIEVE_AFTER_MS) {
      return Math.floor(expectedMs * 1000);
    }
    this.#aheadFromMs = undefined;
    this.#offsetMs = wallMs - upMs;
    return Math.floor(wallMs * 1000);
  }
}

function clockAhead(expectedMicros: number, wallMicros: number): Fault {
  return new Fault(
    'CLOCK_AHEAD',
    `The machine's clock jumped ahead, from ${formatMicros(Math.floor(expectedMicros))} to ${formatMicros(Math.floor(wallMicros))}. Events are dated as if it had not jumped, until it has stayed there for ten minutes. Check its time service.`,
  );
}

function clockBehind(lastMicros: number, wallMicros: number): Fault {
  return new Fault(
    'CLOCK_BEHIND',
    `The machine's clock says ${formatMicros(wallMicros)}, and the newest receipt of the data folder is ${formatMicros(lastMicros)}: the clock is wrong now or was wrong then. Events are stored in hours that follow that receipt. Check the machine's time service.`,
  );
}
