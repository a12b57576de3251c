import { ConfigError, formatProblem } from '../../config/config-error.js';
import { examineConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Service } from '../service/service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

/** What is loaded again, and into what. */
export interface ReloaderOptions {
  readonly config: ConfigOptions;
  /** With which the service was started. */
  readonly settings: Settings;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

/**
 * Reads the configuration again, looks whether it would start, and has the service run it, whenever it is asked. Asked while it is at it, it does so once more afterwards. All that comes of
 * it is told in the log.
 */
export class Reloader {
  readonly #options: ReloaderOptions;
  #settings: Settings;
  #isRunning = false;
  #isAskedAgain = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  async reload(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      await this.#reloadOnce().catch((error: unknown) => this.#tell(error));
    }
    this.#isRunning = false;
  }

  async #reloadOnce(): Promise<void> {
    const { service, log } = this.#options;
    log.logger.info('the configuration is read again');
    const settings = await this.#load();
    const changed = await service.reload(settings);
    this.#settings = settings;
    log.set(settings.service.telemetry.logs);
    log.logger.info({ changed }, 'configuration reloaded');
  }

  /** Throws a ConfigError that lists everything that is wrong with the configuration, or that would keep it from starting on this machine. */
  async #load(): Promise<Settings> {
    const { logger } = this.#options.log;
    const { settings, problems, warnings, place } = examineConfig(await readSources(this.#options.config));
    if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings.map(formatProblem));
    for (const warning of warnings) logger.warn(formatProblem(warning));
    const { faultsBesideRunning: faultsBesideACollector } = await import('../validate/faults-beside-a-collector.js');
    const faults = place(await faultsBesideACollector(settings, this.#settings, Date.now()));
    if (faults.length > 0) throw new ConfigError(faults);
    return settings;
  }

  #tell(error: unknown): void {
    const { service, log } = this.#options;
    const { logger } = log;
    if (error instanceof Fault) {
      // The service counts what it refuses itself.
      if (error.code === 'COLLECTOR_STOPPING') logger.info('the configuration is not reloaded: the collector stops');
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
    logger.error({ problems: error.problems.length }, 'the configuration was not reloaded; the one before goes on');
  }
}
