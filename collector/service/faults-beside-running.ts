import { isDeepStrictEqual } from 'node:util';
import { readConfigSchema } from '../../config/check/config-schema.js';
import type { FoundFault } from '../../config/check/place-faults.js';
import type { Settings } from '../../generated/settings.js';
import { checkStart } from './check-start.js';
import { type StartNeed, startNeedsOf } from './start-needs.js';

/**
 * What stands in the way of settings on this machine beside a collector that runs with others: what those need already, its ports and the locks of folders
 * are left out. `nowMs` is the time by which certificates are judged.
 */
export async function faultsBesideRunning(
  settings: Settings,
  running: Settings,
  nowMs: number,
): Promise<readonly FoundFault[]> {
  const schema = readConfigSchema();
  const met = startNeedsOf(running, schema);
  const needs = startNeedsOf(settings, schema).filter((need) => !met.some((other) => isMetBy(need, other)));
  const withoutLocks = needs.map((need) => (need.kind === 'data_folder' ? { ...need, kind: 'folder' as const } : need));
  return (await checkStart(withoutLocks, nowMs)).faults;
}

/** A port is the collector's own on whichever address it has it. */
function isMetBy(need: StartNeed, other: StartNeed): boolean {
  if (need.kind === 'port') return other.kind === 'port' && need.endpoint.port === other.endpoint.port;
  return isDeepStrictEqual({ ...need, path: other.path }, other);
}
