import { createReadStream, readFileSync, statSync } from 'node:fs';
import { ConfigError, type ConfigProblem } from '../config-error.js';
import { type ConfigFile, loadDefaultConfig } from '../default-config.js';
import { quoted } from '../values/printable.js';
import { MAX_CONFIG_LENGTH } from './parse-yaml.js';
import type { Environment, ReadReferencedFile } from './substitute.js';

const TOO_LONG = `longer than ${MAX_CONFIG_LENGTH / 1024} KiB`;
/** Three bytes of UTF-8 make at most one UTF-16 code unit. */
const MAX_BYTES = 3 * MAX_CONFIG_LENGTH;
/** Schemes of `--config`; any other text before a colon is part of a path. */
const URI = /^(file|env|yaml|https?):(.*)$/s;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file (ENOENT)',
  EACCES: 'permission denied (EACCES)',
  EISDIR: 'it is a directory (EISDIR)',
  ENOTDIR: 'a part of its path is not a directory (ENOTDIR)',
  ELOOP: 'its symbolic links form a loop (ELOOP)',
};

/** The texts of `--config`: `PATH`, `file:PATH`, `env:NAME`, `yaml:TEXT`, or the embedded default. Throws a ConfigError with all problems. */
export async function readConfigFiles(names: readonly string[], env: Environment = {}): Promise<ConfigFile[]> {
  if (names.length === 0) return [loadDefaultConfig()];
  const read = await Promise.all(names.map((name) => loadConfigText(name, env)));
  const problems = read.filter((result) => 'message' in result);
  if (problems.length > 0) throw new ConfigError(problems);
  return read.filter((result) => 'text' in result);
}

/** Reads the file of `${file:PATH}`; a relative path starts at the working directory, as in the OpenTelemetry Collector. */
export const readReferencedFile: ReadReferencedFile = (path) => {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return { fault: `cannot be read: ${REASONS['EISDIR']}` };
    // Reading a pipe may block.
    if (!stat.isFile()) return { fault: 'cannot be read: it is not a regular file' };
    if (stat.size > MAX_CONFIG_LENGTH) return { fault: `is ${TOO_LONG}` };
    bytes = readFileSync(path);
  } catch (error) {
    return { fault: `cannot be read: ${reasonOf(error)}` };
  }
  const text = textOf(bytes);
  return text === undefined ? { fault: 'is not UTF-8 text' } : { text };
};

async function loadConfigText(name: string, env: Environment): Promise<ConfigFile | ConfigProblem> {
  const [, scheme, rest = ''] = URI.exec(name) ?? [];
  const refuse = (message: string): ConfigProblem => ({ source: name, key: '', message });
  if (scheme === undefined) return await readConfigFile(name);
  if (scheme === 'file' && rest !== '') return await readConfigFile(rest);
  if (scheme === 'file') return { source: '--config', key: '', message: 'file: has no path; expected file:PATH' };
  if (scheme === 'yaml') return { name: '--config yaml', text: rest };
  if (scheme !== 'env')
    return refuse(`scheme ${quoted(scheme)} is not supported; expected a path, env:NAME or yaml:TEXT`);
  const text = Object.hasOwn(env, rest) ? env[rest] : undefined;
  return text === undefined ? refuse(`environment variable ${quoted(rest)} is not set`) : { name, text };
}

async function readConfigFile(path: string): Promise<ConfigFile | ConfigProblem> {
  const refuse = (message: string): ConfigProblem => ({ source: path, key: '', message });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Pipes and devices do not report a size in advance.
      if (bytes > MAX_BYTES) return refuse(TOO_LONG);
    }
  } catch (error) {
    return refuse(`cannot be read: ${reasonOf(error)}`);
  }
  const text = textOf(Buffer.concat(chunks));
  return text === undefined ? refuse('is not UTF-8 text') : { name: path, text };
}

/** Undefined if the bytes are not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
