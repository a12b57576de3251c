import { ConfigError, formatProblem } from '../../config/config-error.js';
import { examineConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Service } from '../service/service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

/** Options of a Reloader. */
export interface ReloaderOptions {
  readonly config: ConfigOptions;
  /** Settings of the running service. */
  readonly settings: Settings;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

/** Loads and checks the configuration again and applies it to the service. Logs the result; never rejects. */
export class Reloader {
  readonly #options: ReloaderOptions;
  #settings: Settings;
  #isReloading = false;
  #isRequested = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  /** Calls during a reload are combined into one more reload after it. */
  async reload(): Promise<void> {
    this.#isRequested = true;
    if (this.#isReloading) return;
    this.#isReloading = true;
    while (this.#isRequested) {
      this.#isRequested = false;
      await this.#reloadOnce().catch((error: unknown) => this.#logFailure(error));
    }
    this.#isReloading = false;
  }

  async #reloadOnce(): Promise<void> {
    const { service, log } = this.#options;
    log.logger.info('reloading the configuration');
    const settings = await this.#load();
    const changed = await service.reload(settings);
    this.#settings = settings;
    log.set(settings.service.telemetry.logs);
    log.logger.info({ changed }, 'configuration reloaded');
  }

  /** Throws a ConfigError with every problem of the configuration, or else everything that would prevent its start on this machine. */
  async #load(): Promise<Settings> {
    const { logger } = this.#options.log;
    const { settings, problems, warnings, locate } = examineConfig(await readSources(this.#options.config));
    if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings.map(formatProblem));
    for (const warning of warnings) logger.warn(formatProblem(warning));
    const { faultsBesideRunning } = await import('../service/faults-beside-running.js');
    const faults = locate(await faultsBesideRunning(settings, this.#settings, Date.now()));
    if (faults.length > 0) throw new ConfigError(faults);
    return settings;
  }

  #logFailure(error: unknown): void {
    const { service, log } = this.#options;
    const { logger } = log;
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
}
