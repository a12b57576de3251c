import { ConfigError, formatProblem } from '../../config/config-error.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { readConfigFiles, readReferencedFile } from '../../config/yaml/read-config-files.js';
import { checkSettings } from '../service/check-settings.js';
import { type CollectOverrides, overridingSets } from './collect-overrides.js';
import type { TextSink } from './command-line.js';

/** The configuration of a command. */
export interface ConfigOptions extends CollectOverrides {
  /** Paths, `env:NAME` or `yaml:TEXT`; empty: the embedded default. */
  config: readonly string[];
  /** `a.b.c=v`; override all files. */
  set: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Whether to merge files without a `service` over the embedded default; default false. */
  isPartial?: boolean;
}

const SERVICE = /^service\s*:/m;

/** Loads a configuration. If it is invalid, prints every problem and warning, one per line, and returns undefined. */
export async function loadSettings(options: ConfigOptions, stderr: TextSink): Promise<LoadedConfig | undefined> {
  try {
    return loadConfig(await readSources(options));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(stderr, error.problems.map(formatProblem), error.warnings);
    return undefined;
  }
}

/** Reads the files of a configuration. Throws a ConfigError if one cannot be read. */
export async function readSources(options: ConfigOptions): Promise<ConfigSources> {
  const named = await readConfigFiles(options.config, options.env);
  const isComplete = named.some(({ text }) => SERVICE.test(text));
  const files = options.isPartial === true && !isComplete ? [loadDefaultConfig(), ...named] : named;
  const { set: sets, env } = options;
  const sources = { files, sets, env, readFile: readReferencedFile, check: checkSettings };
  return { ...sources, sets: [...overridingSets(sources, options.config.length === 0, options), ...sets] };
}

/** Prints problems and warnings, one per line. */
export function printProblems(stderr: TextSink, problems: readonly string[], warnings: readonly string[]): void {
  const lines = [...problems, ...warnings.map((text) => `warning: ${text}`)];
  if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
}
