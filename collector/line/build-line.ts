import type { Settings } from '../../generated/settings.js';
import { createMetricsServer, type MetricsServer } from '../telemetry/metrics-server.js';
import { Blueprint } from './blueprint.js';
import { ExporterParts } from './exporter-parts.js';
import { ExtensionParts } from './extension-parts.js';
import type { Line } from './line.js';
import type { LineOptions } from './line-options.js';
import { Part } from './part.js';
import { PipelineParts } from './pipeline-parts.js';

/**
 * Builds what the service's settings name, from the far end: nothing is started. Of the line before it takes over the parts whose settings are equal, with
 * everything they remember; they go on as they are connected until `connect`. Throws `COMPONENT_UNKNOWN` and `ROUTE_TAKEN`.
 */
export function buildLine(settings: Settings, options: LineOptions, before?: Line): Line {
  const blueprint = new Blueprint(settings, options, before);
  const metrics = buildMetrics(blueprint);
  const exporters = new ExporterParts(blueprint);
  const pipelines = new PipelineParts(blueprint, exporters);
  const extensions = new ExtensionParts(blueprint);
  // Those that decide who may call come before those that are called.
  const deciding = extensions.buildDeciding();
  const receivers = pipelines.buildReceivers();
  const serving = extensions.buildServing();
  return {
    settings: settings.service,
    metrics,
    exporters: exporters.stores,
    followers: exporters.followers,
    processors: pipelines.processors,
    extensions: [...deciding, ...serving],
    receivers,
    refits: exporters.refits,
    storeOf: (name) => exporters.storeOf(name)?.component,
    connect: () => pipelines.connect(),
  };
}

/** The collector's own metrics; none where they are not served. */
function buildMetrics({ settings: all, options, before }: Blueprint): Part<MetricsServer>[] {
  const { metrics: settings } = all.service.telemetry;
  const spec = {
    id: 'metrics',
    kind: 'telemetry',
    key: 'metrics',
    basis: settings,
    owner: 'service.telemetry.metrics',
  };
  const kept = before?.metrics.find((part) => part.isAsAsked(spec));
  if (kept !== undefined) return [kept];
  const server = createMetricsServer({ ...options, settings });
  return server === undefined ? [] : [new Part(spec, () => server)];
}
