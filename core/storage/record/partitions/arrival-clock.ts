import { uptime } from 'node:os';
import { Fault } from '../../../event/fault.js';
import { bootId } from '../../files/process-table.js';

/** Microseconds in an hour. */
export const MICROS_PER_HOUR = 3_600_000_000;

/** Hours since the epoch in which an instant lies. */
export function hourOfMicros(micros: number): number {
  return Math.floor(micros / MICROS_PER_HOUR);
}

/** An instant as `YYYY-MM-DDTHH:MM:SS.ffffffZ` (RFC 3339). */
export function formatMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = micros - ms * 1000;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Reads what `formatMicros` wrote; undefined for anything else. */
export function parseMicros(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  const micros = Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26));
  // Date.parse takes February 31 for March 3; only the form that we write is one of ours.
  return Number.isSafeInteger(micros) && formatMicros(micros) === text ? micros : undefined;
}

/** Time that passes whatever the wall clock does, also between two processes. */
export interface Uptime {
  /** Names the start of the machine from which `ms` counts; undefined where the system does not say. */
  readonly bootId: string | undefined;
  /** Milliseconds since then, with those during which the machine was suspended. */
  ms(): number;
}

/** Reading the uptime opens a file, so between two reads the monotonic clock goes on from it. */
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

/**
 * The store's one clock: whole microseconds since the epoch, strictly increasing over the life of the folder (room invariant 1).
 * Commits and actions draw from the same one.
 */
export interface ArrivalClock {
  /** The greatest instant given out or known. */
  readonly lastMicros: number;
  /** The earliest instant that the next call can give; gives none out. */
  now(): number;
  /** An instant later than all before: that of the wall clock, where it is believed and not behind. */
  next(): number;
  /** The first of `count` instants that follow each other and lie in one hour. */
  nextRun(count: number): number;
  /** Makes every later instant greater than this one. */
  holdAbove(micros: number): void;
}

/** How the clock of a folder is made. */
export interface ArrivalClockOptions {
  /** Wall clock in milliseconds, default `Date.now`. */
  nowMs?: () => number;
  /** `Uptime.ms`, by which the wall clock is judged; default `nowMs`: the wall clock is believed. */
  uptimeMs?: () => number;
  /** The greatest instant of the folder, default 0: the folder is new. */
  lastMicros?: number;
  /** Called with `CLOCK_AHEAD` when the wall clock jumps ahead, and with `CLOCK_BEHIND` when it is found behind the folder. */
  onFault?: ((fault: Fault) => void) | undefined;
}

/** A step ahead of the wall clock beside the uptime that is no correction any more. */
const JUMP_MS = 10 * 60_000;
/** How long the wall clock has to stay there before events are dated by it. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Builds the clock of a folder. The wall clock is believed when this is made, when it goes back, and ten minutes after it jumped ahead: an instant that
 * was given out is never taken back. While it is more than an hour behind the folder, instants advance by the uptime, so that hours still end.
 */
export function createArrivalClock(options: ArrivalClockOptions = {}): ArrivalClock {
  const { nowMs = Date.now, uptimeMs = nowMs, onFault } = options;
  let last = options.lastMicros ?? 0;
  let lastUptimeMs = uptimeMs();
  let offsetMs = nowMs() - lastUptimeMs;
  let aheadFromMs: number | undefined;
  let isBehind = false;

  const wallMicros = (upMs: number): number => {
    const wallMs = nowMs();
    if (wallMs - upMs - offsetMs <= JUMP_MS) aheadFromMs = undefined;
    else if (aheadFromMs === undefined) {
      aheadFromMs = upMs;
      onFault?.(clockAhead((upMs + offsetMs) * 1000, wallMs * 1000));
    }
    if (aheadFromMs !== undefined && upMs - aheadFromMs < PATIENCE_MS) return Math.floor((upMs + offsetMs) * 1000);
    aheadFromMs = undefined;
    offsetMs = wallMs - upMs;
    return Math.floor(wallMs * 1000);
  };
  const now = (upMs = uptimeMs()): number => {
    const wall = wallMicros(upMs);
    const wasBehind = isBehind;
    isBehind = last - wall > MICROS_PER_HOUR;
    if (!isBehind) return Math.max(wall, last + 1);
    if (!wasBehind) onFault?.(clockBehind(last, wall));
    return last + Math.max(1, Math.floor((upMs - lastUptimeMs) * 1000));
  };
  const nextRun = (count: number): number => {
    const upMs = uptimeMs();
    let first = now(upMs);
    const nextHour = (hourOfMicros(first) + 1) * MICROS_PER_HOUR;
    if (first + count > nextHour) first = nextHour;
    last = first + count - 1;
    lastUptimeMs = upMs;
    return first;
  };
  return {
    get lastMicros() {
      return last;
    },
    now: () => now(),
    next: () => nextRun(1),
    nextRun,
    holdAbove(micros) {
      if (micros <= last) return;
      last = micros;
      lastUptimeMs = uptimeMs();
    },
  };
}

function clockAhead(expectedMicros: number, wallMicros: number): Fault {
  return new Fault(
    'CLOCK_AHEAD',
    `The machine's clock jumped ahead, from ${formatMicros(Math.floor(expectedMicros))} to ${formatMicros(Math.floor(wallMicros))}. Events are dated as if it had not, until it has stayed there for ten minutes. Check its time service.`,
  );
}

function clockBehind(lastMicros: number, wallMicros: number): Fault {
  return new Fault(
    'CLOCK_BEHIND',
    `The machine's clock says ${formatMicros(wallMicros)}, and the newest receipt of the data folder is ${formatMicros(lastMicros)}: the clock is wrong now, or was wrong then. Events are stored in hours that follow that receipt. Check the machine's time service.`,
  );
}
