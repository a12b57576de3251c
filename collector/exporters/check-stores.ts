import { resolve } from 'node:path';
import { areSettingsOf } from '../../config/component-settings.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { Settings } from '../../config/settings.js';

/** Stores of the running line that name the folder of another one, however it is written: a folder has one writer. */
export function checkStores({ exporters, service }: Pick<Settings, 'exporters' | 'service'>): FoundFault[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.exporters));
  const ownerOf = new Map<string, string>();
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!running.has(id) || !areSettingsOf('store', id, settings)) return [];
    const folder = resolve(settings.directory);
    const owner = ownerOf.get(folder);
    if (owner === undefined) {
      ownerOf.set(folder, id);
      return [];
    }
    const message = `names the same folder as exporters.${owner}: give each store its own`;
    return [{ path: ['exporters', id, 'directory'], message }];
  });
}
