import { createReadStream } from 'node:fs';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { type ConfigFile, readDefaultConfig } from './default-config.js';
import { MAX_CONFIG_LENGTH } from './parse-yaml.js';

/**
 * The texts of the files that `--config` names, in that order; the embedded default when it names none.
 * Throws a ConfigError that lists every file that cannot be read, is larger than the loader takes, or is no UTF-8.
 */
export async function readConfigFiles(paths: readonly string[]): Promise<ConfigFile[]> {
  if (paths.length === 0) return [readDefaultConfig()];
  const read = await Promise.all(paths.map(readConfigFile));
  const problems = read.filter((result) => 'message' in result);
  if (problems.length > 0) throw new ConfigError(problems);
  return read.filter((result) => 'text' in result);
}

async function readConfigFile(path: string): Promise<ConfigFile | ConfigProblem> {
  const refuse = (message: string): ConfigProblem => ({ source: path, key: '', message });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Three bytes of UTF-8 make at most one UTF-16 code unit. A pipe or device has no size to ask for before.
      if (bytes > 3 * MAX_CONFIG_LENGTH) return refuse(`longer than ${MAX_CONFIG_LENGTH / 1024} KiB`);
    }
  } catch (error) {
    return refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return { name: path, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return refuse('is not UTF-8 text');
  }
}
