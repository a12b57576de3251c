import { ConfigError, formatProblem } from '../../config/config-error.js';
import { examineConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Service } from '../service/service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

/** Options of `createReloader`. */
export interface ReloaderOptions {
  readonly config: ConfigOptions;
  /** Settings of the running service. */
  readonly settings: Settings;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

/**
 * Returns a function that loads and checks the configuration again and applies it to the service. Logs the result; never rejects. Calls during a
 * reload are combined into one more reload after it.
 */
export function createReloader(options: ReloaderOptions): () => Promise<void> {
  const { config, service, log } = options;
  const { logger } = log;
  let running = options.settings;
  let isReloading = false;
  let isRequested = false;

  async function reloadOnce(): Promise<void> {
    logger.info('reloading the configuration');
    const settings = await load();
    const changed = await service.reload(settings);
    running = settings;
    log.set(settings.service.telemetry.logs);
    logger.info({ changed }, 'configuration reloaded');
  }

  /** Throws a ConfigError with every problem of the configuration, or else everything that would prevent its start on this machine. */
  async function load(): Promise<Settings> {
    const { settings, problems, warnings, locate } = examineConfig(await readSources(config));
    if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings.map(formatProblem));
    for (const warning of warnings) logger.warn(formatProblem(warning));
    const { faultsBesideRunning } = await import('../service/faults-beside-running.js');
    const faults = locate(await faultsBesideRunning(settings, running, Date.now()));
    if (faults.length > 0) throw new ConfigError(faults);
    return settings;
  }

  function logFailure(error: unknown): void {
    if (error instanceof Fault) {
      // The service itself counts a reload that it refuses.
      if (error.code === 'COLLECTOR_STOPPING') logger.info('configuration not reloaded: the collector is stopping');
      else logger.error({ code: error.code }, error.message);
      return;
    }
    service.countRefusedReload();
    if (!(error instanceof ConfigError)) {
      logger.error({ err: error }, 'the configuration was not reloaded');
      return;
    }
    for (const warning of error.warnings) logger.warn(warning);
    for (const problem of error.problems) logger.error(formatProblem(problem));
    logger.error({ problems: error.problems.length }, 'configuration not reloaded, still using the previous one');
  }

  return async () => {
    isRequested = true;
    if (isReloading) return;
    isReloading = true;
    while (isRequested) {
      isRequested = false;
      await reloadOnce().catch(logFailure);
    }
    isReloading = false;
  };
}
