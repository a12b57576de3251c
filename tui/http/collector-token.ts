import { readFile } from 'node:fs/promises';
import { Fault } from '../../core/event/fault.js';

/** Where a person keeps the token of a collector; on the command line itself everybody on the machine would see it. */
export interface TokenPlace {
  /** Path of a file that holds it, in its first line that is neither blank nor a comment. Absent: `variable` counts. */
  readonly file?: string | undefined;
  /** Name of an environment variable; absent: none. */
  readonly variable?: string | undefined;
}

/** The variable of every command. */
export const TOKEN_VARIABLE = 'FAULTLINE_TOKEN';

const MAX_TOKEN_LENGTH = 4_096;
/** RFC 9110: what a header may hold; a token has no spaces. */
const TOKEN = /^[\x21-\x7e\x80-\xff]+$/;

/** The token that lies in a place; undefined where there is none. Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_INVALID`, which never show it. */
export async function readCollectorToken(
  { file, variable }: TokenPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file !== undefined) return checked(firstLine(await readText(file)), `The file ${file}`);
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === undefined || value === '' ? undefined : checked(value, `The variable ${variable}`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it fails';
    throw new Fault('TOKEN_FILE_UNREADABLE', `The file of the token, ${path}, cannot be read: ${reason}.`, { cause });
  }
}

function firstLine(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}

function checked(token: string, where: string): string {
  if (token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token)) return token;
  throw new Fault('TOKEN_INVALID', `${where} holds no token: write it on one line, without spaces.`);
}
