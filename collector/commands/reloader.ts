import { ConfigError, formatProblem } from '../../config/config-error.js';
import { type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Service } from '../service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

/** What is loaded again, and into what. */
export interface ReloaderOptions {
  readonly config: ConfigOptions;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

/**
 * Reads the configuration again and has the service change over to it, whenever it is asked. Asked while it is at it, it does so once more afterwards. All that comes of
 * it is told in the log.
 */
export class Reloader {
  readonly #options: ReloaderOptions;
  #isRunning = false;
  #isAskedAgain = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
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
    const { logger } = log;
    logger.info('the configuration is read again');
    const { settings } = await this.#load();
    const { kept, replaced, added, removed } = await service.reload(settings);
    log.set(settings.service.telemetry.logs);
    logger.info({ kept, replaced, added, removed }, 'configuration reloaded');
  }

  async #load(): Promise<LoadedConfig> {
    const { logger } = this.#options.log;
    const loaded = loadConfig(await readSources(this.#options.config));
    for (const warning of loaded.warnings) logger.warn(warning);
    return loaded;
  }

  #tell(error: unknown): void {
    const { service, log } = this.#options;
    const { logger } = log;
    if (error instanceof ConfigError) {
      service.countRefusedReload();
      for (const warning of error.warnings) logger.warn(warning);
      for (const problem of error.problems) logger.error(formatProblem(problem));
      logger.error({ problems: error.problems.length }, 'the configuration was not reloaded; the one before goes on');
    } else if (!(error instanceof Fault)) logger.error({ err: error }, 'the configuration was not reloaded');
    else if (error.code === 'COLLECTOR_STOPPING') logger.info('the configuration is not reloaded: the collector stops');
    else logger.error({ code: error.code }, error.message);
  }
}
