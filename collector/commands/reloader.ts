import { ConfigError, formatProblem } from '../../config/config-error.js';
import { type ExaminedConfig, examineConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import type { Service } from '../service.js';
import type { Log } from '../telemetry/logger.js';
import { type ConfigOptions, readSources } from './load-settings.js';

/** What is loaded again, and into what. */
export interface ReloaderOptions {
  readonly config: ConfigOptions;
  readonly service: Pick<Service, 'reload' | 'countRefusedReload'>;
  readonly log: Log;
}

interface Refusable extends Pick<ExaminedConfig, 'place'> {
  readonly settings: Settings;
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
    const loaded = await this.#load();
    const { settings } = loaded;
    const { kept, replaced, added, removed } = await service.reload(settings).catch(async (error: unknown) => {
      if (!isStopping(error)) await this.#tellFaults(loaded);
      throw error;
    });
    log.set(settings.service.telemetry.logs);
    logger.info({ kept, replaced, added, removed }, 'configuration reloaded');
  }

  async #load(): Promise<Refusable> {
    const { logger } = this.#options.log;
    const { settings, problems, warnings, place } = examineConfig(await readSources(this.#options.config));
    if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings.map(formatProblem));
    for (const warning of warnings) logger.warn(formatProblem(warning));
    return { settings, place };
  }

  /** A change-over ends at the first thing that does not start; the operator needs the list of all others too. */
  async #tellFaults({ settings, place }: Refusable): Promise<void> {
    const { logger } = this.#options.log;
    try {
      const { faultsBesideACollector } = await import('../validate/faults-beside-a-collector.js');
      for (const problem of place(await faultsBesideACollector(settings, Date.now()))) {
        logger.error(formatProblem(problem));
      }
    } catch (error) {
      logger.warn({ err: error }, 'what else stands in the way could not be looked at');
    }
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
    else if (isStopping(error)) logger.info('the configuration is not reloaded: the collector stops');
    else logger.error({ code: error.code }, error.message);
  }
}

function isStopping(error: unknown): boolean {
  return error instanceof Fault && error.code === 'COLLECTOR_STOPPING';
}
