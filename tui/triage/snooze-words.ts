import { printSpan, type Snooze } from '../../core/issues/snooze.js';
import { clockTime } from '../format/relative-time.js';

/** What ends an `ignored` state, in words: `until 2026-12-24 10:00:00 UTC`, `until 100 more events come`, `until 100 events come within 1h`, `for ever`. */
export function snoozeWords({ until, count, per_ms: perMs }: Snooze): string {
  if (until !== undefined) return `until ${clockTime(until, 'full')} UTC`;
  if (count === undefined) return 'for ever';
  return perMs === undefined
    ? `until ${count} more events come`
    : `until ${count} events come within ${printSpan(perMs)}`;
}
