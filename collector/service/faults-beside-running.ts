import { isDeepStrictEqual } from 'node:util';
import type { SchemaNode } from '../../config/check/config-schema.js';
import type { SettingsFault } from '../../config/check/locate-faults.js';
import type { Settings } from '../../generated/settings.js';
import { checkStart } from './check-start.js';
import { type StartNeed, startNeedsOf } from './start-needs.js';

/** Faults of a start beside others. Ports and writer locks that this collector already uses are not checked. */
export async function faultsBesideRunning(
  settings: Settings,
  running: Settings,
  schema: SchemaNode,
  nowMs: number,
): Promise<readonly SettingsFault[]> {
  const inUse = startNeedsOf(running, schema);
  const needs = startNeedsOf(settings, schema).filter((need) => !inUse.some((other) => isCoveredBy(need, other)));
  const withoutLocks = needs.map((need) => (need.kind === 'data_folder' ? { ...need, kind: 'folder' as const } : need));
  return (await checkStart(withoutLocks, nowMs)).faults;
}

/** A port that the collector uses on another address will be free too. */
function isCoveredBy(need: StartNeed, other: StartNeed): boolean {
  if (need.kind === 'port') return other.kind === 'port' && need.endpoint.port === other.endpoint.port;
  return isDeepStrictEqual({ ...need, path: other.path }, other);
}
