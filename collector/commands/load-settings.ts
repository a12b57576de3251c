import { ConfigError, formatProblem } from '../../config/config-error.js';
import { type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { readConfigFiles } from '../../config/read-config-files.js';

/** Where a command takes its configuration from. */
export interface ConfigOptions {
  /** Paths; none means the embedded default. */
  config: readonly string[];
  /** `a.b.c=v`, over all files. */
  set: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Where people read. */
export interface TextSink {
  write(text: string): unknown;
}

/** Loads a configuration; undefined after printing every problem and warning, one to a line, when it does not hold. */
export async function loadSettings(options: ConfigOptions, stderr: TextSink): Promise<LoadedConfig | undefined> {
  try {
    const files = await readConfigFiles(options.config);
    return loadConfig({ files, sets: options.set, env: options.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = [...error.problems.map(formatProblem), ...error.warnings.map((text) => `warning: ${text}`)];
    stderr.write(`${lines.join('\n')}\n`);
    return undefined;
  }
}
