import { readConfigSchema } from '../../config/config-schema.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { Settings } from '../../generated/settings.js';
import { checkStart } from './check-start.js';
import { type StartNeed, startNeedsOf } from './start-needs.js';

/**
 * What stands in the way of settings on this machine, as far as a collector that runs can tell: its own ports and the lock of its own folder are left
 * out. `nowMs` is the time by which certificates are judged.
 */
export async function faultsBesideACollector(settings: Settings, nowMs: number): Promise<readonly FoundFault[]> {
  const needs = startNeedsOf(settings, readConfigSchema()).flatMap(withoutOwn);
  return (await checkStart(needs, nowMs)).faults;
}

function withoutOwn(need: StartNeed): StartNeed[] {
  if (need.kind === 'port') return [];
  return [need.kind === 'data_folder' ? { ...need, kind: 'folder' } : need];
}
