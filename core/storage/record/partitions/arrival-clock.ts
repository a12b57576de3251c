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

/** The clock of commits and actions: whole microseconds since the epoch, strictly increasing over the life of a folder. */
export type ArrivalClock = ReturnType<typeof createArrivalClock>;

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
 * Builds the clock of a folder. The wall clock is believed at the start, when it goes back, and ten minutes after it jumped ahead, because an
 * issued timestamp is final. While it is more than an hour behind the folder, timestamps advance by the uptime, so that hours still end.
 */
export function createArrivalClock(options: ArrivalClockOptions = {}) {
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
    if (aheadFromMs !== undefined && upMs - aheadFromMs < BELIEVE_AFTER_MS) return Math.floor((upMs + offsetMs) * 1000);
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
    /** The greatest timestamp issued or known. */
    get lastMicros() {
      return last;
    },
    /** The earliest timestamp that `next` can return now. */
    now: () => now(),
    /** A timestamp later than all before: the wall clock's, if it is believed and not behind. */
    next: () => nextRun(1),
    /** The first of `count` consecutive timestamps in one hour. */
    nextRun,
    /** Makes every later timestamp greater than this one. */
    holdAbove(micros: number): void {
      if (micros <= last) return;
      last = micros;
      lastUptimeMs = uptimeMs();
    },
  };
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
