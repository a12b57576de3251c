import { parseComponentId } from '../../config/component-id.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { ExportersSettings, PipelineSettings, PipelinesSettings, Settings } from '../../config/settings.js';
import { checkClientTls } from './check-client-tls.js';
import { checkOwnReceivers } from './check-own-receivers.js';
import { checkStores } from './check-stores.js';
import { checkWebhooks } from './webhook/check-webhooks.js';

/** What is wrong in the settings of exporters beyond the schema, also of those that no pipeline names. */
export function checkExporters(exporters: ExportersSettings): FoundFault[] {
  return [...checkClientTls(exporters), ...checkWebhooks(exporters)];
}

/**
 * What is wrong with exporters beside others: those that send take their events from a store, and from all that is in it, and send them to nobody
 * who gives them back; stores keep apart.
 */
export function checkExportersTogether(settings: Settings): FoundFault[] {
  return [...checkPipelines(settings.service.pipelines), ...checkStores(settings), ...checkOwnReceivers(settings)];
}

function checkPipelines(pipelines: PipelinesSettings): FoundFault[] {
  return Object.entries(pipelines).flatMap(([name, pipeline]) => {
    const sending = pipeline.exporters.filter((id) => !isStore(id));
    const found = sending.length === 0 ? undefined : wrongWith(name, pipeline, pipelines);
    return found === undefined ? [] : [{ path: ['service', 'pipelines', name, 'exporters'], message: found }];
  });
}

function wrongWith(
  name: string,
  pipeline: PipelineSettings,
  pipelines: Readonly<Record<string, PipelineSettings>>,
): string | undefined {
  const sending = pipeline.exporters.filter((id) => !isStore(id));
  const stores = pipeline.exporters.filter(isStore);
  const [store] = stores;
  if (store === undefined) {
    return `${sending.join(' and ')} can only send what a store keeps: add the exporter store to this pipeline`;
  }
  if (stores.length > 1) {
    return `${sending.join(' and ')} cannot tell which of ${stores.join(' and ')} to follow: keep one store in this pipeline`;
  }
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name || !exporters.includes(store)) continue;
    const missing = sending.find((id) => !exporters.includes(id));
    if (missing === undefined) continue;
    return `${missing} would also send what pipeline ${other} stores in ${store}, which never came through this pipeline: add ${missing} to pipeline ${other}, or give one of them another store`;
  }
  return firstSharedOf(name, sending, store, pipelines);
}

/** An exporter follows one store. */
function firstSharedOf(
  name: string,
  sending: readonly string[],
  store: string,
  pipelines: Readonly<Record<string, PipelineSettings>>,
): string | undefined {
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name) continue;
    const shared = sending.find((id) => exporters.includes(id));
    const otherStore = exporters.find(isStore);
    if (shared === undefined || otherStore === undefined || otherStore === store) continue;
    return `${shared} follows one store, and is in pipeline ${other} with ${otherStore} and here with ${store}: configure a second one, for example ${parseComponentId(shared).type}/${other}`;
  }
  return undefined;
}

function isStore(id: string): boolean {
  return parseComponentId(id).type === 'store';
}
