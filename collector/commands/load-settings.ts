import { ConfigError, formatProblem } from '../../config/config-error.js';
import { readDefaultConfig } from '../../config/default-config.js';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { readConfigFiles, readReferencedFile } from '../../config/yaml/read-config-files.js';
import { checkSettings } from '../validate/check-settings.js';

/** Where a command takes its configuration from. */
export interface ConfigOptions {
  /** Paths, `env:NAME` or `yaml:TEXT`; none means the embedded default. */
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
    return loadConfig(await readSources(options));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printComplaints(stderr, error.problems.map(formatProblem), error.warnings);
    return undefined;
  }
}

/** What a command loads its configuration from; throws a ConfigError when a file cannot be read. */
export async function readSources(options: ConfigOptions): Promise<ConfigSources> {
  const given = await readConfigFiles(options.config, options.env);
  const isWhole = given.some(({ text }) => SERVICE.test(text));
  const files = options.isPartial === true && !isWhole ? [readDefaultConfig(), ...given] : given;
  return { files, sets: options.set, env: options.env, readFile: readReferencedFile, check: checkSettings };
}

/** Prints problems and warnings, one to a line; nothing without any. */
export function printComplaints(stderr: TextSink, problems: readonly string[], warnings: readonly string[]): void {
  const lines = [...problems, ...warnings.map((text) => `warning: ${text}`)];
  if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
}
