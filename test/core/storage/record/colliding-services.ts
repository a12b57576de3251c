import { partitionOf } from '../../../../core/storage/record/partitions/partition-path.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

const HOUR_MS = 3_600_000;

/** Searches for two services whose partitions at ten o'clock have the same hash. */
export function collidingServices(): [string, string] {
  const seen = new Map<number, string>();
  for (let index = 0; ; index += 1) {
    const service = `s${index}`;
    const { hash } = partitionOf({ env: 'production', service, app: 'shop' }, TEN_O_CLOCK_MS / HOUR_MS);
    const other = seen.get(hash);
    if (other !== undefined) return [other, service];
    seen.set(hash, service);
  }
}
