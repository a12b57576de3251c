import { ConfigError, formatProblem } from '../../config/config-error.js';
import { readDefaultConfig } from '../../config/default-config.js';
import { type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { readConfigFiles } from '../../config/read-config-files.js';
import { checkSettings } from '../check-settings.js';

/** Where a command takes its configuration from. */
export interface ConfigOptions {
  /** Paths; none means the embedded default. */
  config: readonly string[];
  /** `a.b.c=v`, over all files. */
  set: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Whether files that configure no service stand on the embedded default; default false. */
  isPartial?: boolean;
}

const SERVICE = /^service\s*:/m;

/** Where people read. */
export interface TextSink {
  write(text: string): unknown;
}

/** Loads a configuration; undefined after printing every problem and warning, one to a line, when it does not hold. */
export async function loadSettings(options: ConfigOptions, stderr: TextSink): Promise<LoadedConfig | undefined> {
  try {
    const given = await readConfigFiles(options.config);
    const isWhole = given.some(({ text }) => SERVICE.test(text));
    const files = options.isPartial === true && !isWhole ? [readDefaultConfig(), ...given] : given;
    return loadConfig({ files, sets: options.set, env: options.env, check: checkSettings });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = [...error.problems.map(formatProblem), ...error.warnings.map((text) => `warning: ${text}`)];
    stderr.write(`${lines.join('\n')}\n`);
    return undefined;
  }
}
