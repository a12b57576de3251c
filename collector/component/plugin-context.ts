import type { ComponentContext } from './component.js';
import type { Context } from './plugin.js';

/** Returns what a component gets that is built as a plugin is. */
export function pluginContext(
  id: string,
  { logger, meters, ledger }: Pick<ComponentContext, 'logger' | 'meters' | 'ledger'>,
): Context {
  return {
    id,
    logger,
    metrics: { count: (name, by) => meters.counter('faultline_plugin_items', { component: id, name }).add(by) },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    ledger: { snapshot: () => ledger.snapshot() },
  };
}
