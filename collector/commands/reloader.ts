import { ConfigError, formatProblem } from '../../config/config-error.js';
import { type ConfigSources, examineConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { changedPlugins } from '../plugins/load-plugins.js';
import type { Service } from '../service/service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

interface ReloaderOptions {
  readonly config: ConfigOptions;
  /** Settings of the running service. */
  readonly settings: Settings;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

/** Creates the function that reloads the configuration and logs the result; it never rejects. Calls during a reload cause one more after it. */
export function createReloader({ config, settings, service, log }: ReloaderOptions): () => Promise<void> {
  let running = settings;
  let isReloading = false;
  let isRequested = false;

  async function reloadOnce(): Promise<void> {
    log.logger.info('reloading the configuration');
    const sources = await readSources(config);
    const stale = changedPlugins(sources.plugins);
    if (stale.length > 0) log.logger.warn({ plugins: stale }, 'plugins changed: restart the collector to use them');
    const wanted = await loadChecked(sources, running, log.logger);
    const changed = await service.reload(wanted, sources.plugins);
    running = wanted;
    log.set(wanted.service.telemetry.logs);
    log.logger.info({ changed }, 'configuration reloaded');
  }

  return async () => {
    isRequested = true;
    if (isReloading) return;
    isReloading = true;
    while (isRequested) {
      isRequested = false;
      await reloadOnce().catch((error: unknown) => {
        // The service itself counts a reload that it refuses.
        if (!(error instanceof Fault)) service.countRefusedReload();
        logFailure(error, log.logger);
      });
    }
    isReloading = false;
  };
}

/** Throws a ConfigError with every problem of the configuration, or else everything that would prevent its start on this machine. */
async function loadChecked(sources: ConfigSources, running: Settings, logger: Log['logger']): Promise<Settings> {
  const { schema, settings, problems, warnings, locate } = examineConfig(sources);
  if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings.map(formatProblem));
  for (const warning of warnings) logger.warn(formatProblem(warning));
  const { faultsBesideRunning } = await import('../service/check-start.js');
  const faults = locate(await faultsBesideRunning(settings, running, schema, Date.now()));
  if (faults.length > 0) throw new ConfigError(faults);
  return settings;
}

function logFailure(error: unknown, logger: Log['logger']): void {
  if (error instanceof Fault && error.code === 'COLLECTOR_STOPPING') {
    logger.info('configuration not reloaded: the collector is stopping');
  } else if (error instanceof Fault) {
    logger.error({ code: error.code }, error.message);
  } else if (error instanceof ConfigError) {
    for (const warning of error.warnings) logger.warn(warning);
    for (const problem of error.problems) logger.error(formatProblem(problem));
    logger.error({ problems: error.problems.length }, 'configuration not reloaded, still using the previous one');
  } else {
    logger.error({ err: error }, 'the configuration was not reloaded');
  }
}
