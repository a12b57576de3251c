import { readFile, stat } from 'node:fs/promises';
import { Fault } from '../event/fault.js';

/** Where the token of a collector is stored; never the command line, which other users of the machine can see. */
export interface TokenSource {
  /** Path of a file; the token is its first line that is neither blank nor a comment. Default: `variable`. */
  readonly file?: string | undefined;
  /** Name of an environment variable. */
  readonly variable?: string | undefined;
}

/** The token of a collector, which may change in its file while it is in use. */
export interface CollectorToken {
  readonly value: string | undefined;
  /** Loads its file again and returns the current token, the old one if the file cannot be used. Never rejects. */
  reload(): Promise<string | undefined>;
}

/** The environment variable that all commands use. */
export const TOKEN_VARIABLE = 'FAULTLINE_TOKEN';

const MAX_TOKEN_LENGTH = 4_096;
const MAX_FILE_BYTES = 1024 * 1024;
/** Header characters of RFC 9110, without spaces. */
const TOKEN = /^[\x21-\x7e\x80-\xff]+$/;

/** Loads a token. Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_INVALID`, whose messages never contain it. */
export async function openCollectorToken(
  source: TokenSource,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CollectorToken> {
  let value = await loadToken(source, env);
  return {
    get value() {
      return value;
    },
    async reload() {
      try {
        // A pipe can be read only once, and opening a named pipe again may block forever.
        if (source.file !== undefined && (await stat(source.file)).isFile()) value = await loadToken(source, env);
      } catch {
        // The file may be incomplete while it is written; keep the old token.
      }
      return value;
    },
  };
}

async function loadToken(
  { file, variable }: TokenSource,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file !== undefined) return checked(firstLine(await loadFile(file)), `The file ${file}`);
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === undefined || value === '' ? undefined : checked(value, `The variable ${variable}`);
}

async function loadFile(path: string): Promise<string> {
  try {
    const status = await stat(path);
    if (!status.isFile() || status.size <= MAX_FILE_BYTES) return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw new Fault('TOKEN_FILE_UNREADABLE', `The token file ${path} cannot be read: ${reason}.`, { cause });
  }
  throw new Fault('TOKEN_INVALID', `The file ${path} is not a token file: it is larger than ${MAX_FILE_BYTES} bytes.`);
}

function firstLine(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}

function checked(token: string, where: string): string {
  if (token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token)) return token;
  throw new Fault('TOKEN_INVALID', `${where} does not contain a valid token: write it on one line, without spaces.`);
}
