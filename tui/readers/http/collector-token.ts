import { readFile, stat } from 'node:fs/promises';
import { Fault } from '../../../core/event/fault.js';

/** Where a person keeps the token of a collector; on the command line itself everybody on the machine would see it. */
export interface TokenPlace {
  /** Path of a file that holds it, in its first line that is neither blank nor a comment. Absent: `variable` counts. */
  readonly file?: string | undefined;
  /** Name of an environment variable; absent: none. */
  readonly variable?: string | undefined;
}

/** The token of a collector, which may change in its file while it is used. */
export interface CollectorToken {
  /** As it was read last; undefined where there is none. */
  readonly value: string | undefined;
  /** Reads its file again and answers what counts now. A file that is gone, broken or no regular file changes nothing. Never rejects. */
  renew(): Promise<string | undefined>;
}

/** The variable of every command. */
export const TOKEN_VARIABLE = 'FAULTLINE_TOKEN';

const MAX_TOKEN_LENGTH = 4_096;
/** Comments included. */
const MAX_FILE_BYTES = 1024 * 1024;
/** RFC 9110: what a header may hold; a token has no spaces. */
const TOKEN = /^[\x21-\x7e\x80-\xff]+$/;

/** The token that lies in a place. Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_INVALID`, which never show it. */
export async function openCollectorToken(
  place: TokenPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CollectorToken> {
  let value = await readToken(place, env);
  return {
    get value() {
      return value;
    },
    async renew() {
      try {
        // A pipe gives what it has once, and who opens a named one again may wait for ever.
        if (place.file !== undefined && (await stat(place.file)).isFile()) value = await readToken(place, env);
      } catch {
        // Perhaps it is being written; who called is told that the token before is not taken.
      }
      return value;
    },
  };
}

async function readToken(
  { file, variable }: TokenPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file !== undefined) return checked(firstLine(await readText(file)), `The file ${file}`);
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === undefined || value === '' ? undefined : checked(value, `The variable ${variable}`);
}

async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size <= MAX_FILE_BYTES) return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it fails';
    throw new Fault('TOKEN_FILE_UNREADABLE', `The file of the token, ${path}, cannot be read: ${reason}.`, { cause });
  }
  throw new Fault('TOKEN_INVALID', `The file ${path} holds no token: it is larger than ${MAX_FILE_BYTES} bytes.`);
}

function firstLine(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}

function checked(token: string, where: string): string {
  if (token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token)) return token;
  throw new Fault('TOKEN_INVALID', `${where} holds no token: write it on one line, without spaces.`);
}
