import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { codeOf } from '../../core/storage/files/system-error.js';
import type { BearerTokenAuthExtensionSettings } from '../../generated/settings.js';
import type { Component, ExtensionFactory } from '../component/built-in.js';
import type { Authenticator } from '../http/endpoints/access-rule.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { toFault } from '../http/messages/problem.js';

/** As in the schema for tokens in the configuration. */
const MIN_TOKEN_LENGTH = 16;
const MAX_TOKEN_LENGTH = 4_096;
/** Every request is compared with all tokens. */
const MAX_TOKENS = 1_000;

/** Parses one token per line; blank lines and lines with `#` are skipped. `TOKEN_FILE_INVALID` names the line, never its content. */
export function parseTokenLines(path: string, text: string): readonly string[] {
  const tokens: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    const token = line.trim();
    if (token === '' || token.startsWith('#')) continue;
    if (token.length < MIN_TOKEN_LENGTH) throw invalid(path, index, `is shorter than ${MIN_TOKEN_LENGTH} characters`);
    if (/\p{Cc}/u.test(token)) throw invalid(path, index, 'has a control character; is this a text file?');
    if (/\s/.test(token)) throw invalid(path, index, 'has a space; write one token per line');
    if (token.length > MAX_TOKEN_LENGTH) throw invalid(path, index, `is longer than ${MAX_TOKEN_LENGTH} characters`);
    if (tokens.length === MAX_TOKENS) throw invalid(path, index, `is beyond the ${MAX_TOKENS}th`);
    tokens.push(token);
  }
  return tokens;
}

function invalid(path: string, index: number, problem: string): Fault {
  return new Fault('TOKEN_FILE_INVALID', `the token in line ${index + 1} of ${path} ${problem}`);
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** A text that changes when the file is written, replaced or removed. */
async function fileVersion(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    return codeOf(error) ?? 'UNKNOWN';
  }
}

/** Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_FILE_INVALID`, which name the file. */
async function readTokenFile(path: string): Promise<readonly string[]> {
  let text: string | undefined;
  try {
    const { size } = await stat(path);
    if (size <= MAX_FILE_BYTES) text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause) ?? 'UNKNOWN';
    throw new Fault('TOKEN_FILE_UNREADABLE', `the tokens in ${path} cannot be read: ${REASONS[code] ?? code}`, {
      cause,
    });
  }
  if (text !== undefined) return parseTokenLines(path, text);
  throw new Fault('TOKEN_FILE_INVALID', `the token file ${path} is larger than ${MAX_FILE_BYTES} bytes`);
}

const POLL_MS = 1_000;

/** Extension `bearertokenauth`: checks the tokens of callers. */
export const bearerTokenAuth: ExtensionFactory<BearerTokenAuthExtensionSettings> = {
  stability: 'alpha',
  create: (settings, { internal }) => createBearerTokenAuth(settings, internal.logger),
};

/** Creates extension `bearertokenauth`. Faults of `start`: `TOKEN_FILE_UNREADABLE`, `TOKEN_FILE_INVALID`, `TOKENS_MISSING`. */
export function createBearerTokenAuth(
  settings: BearerTokenAuthExtensionSettings,
  logger: Logger,
  pollMs = POLL_MS,
): Component & { readonly authenticator: Authenticator } {
  const { filename, token, tokens, scheme } = settings;
  const configured = [...(token === undefined ? [] : [token]), ...tokens];
  let isKnown = createTokenCheck([]);
  let version = '';
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;

  /** An emptied file revokes its tokens; an unreadable one leaves the earlier tokens in use. */
  async function poll(path: string): Promise<void> {
    const seen = await fileVersion(path);
    if (seen === version) return;
    version = seen;
    try {
      const tokens = [...configured, ...(await readTokenFile(path))];
      isKnown = createTokenCheck(tokens);
      logger.info({ tokens: tokens.length }, 'the token file changed');
    } catch (error) {
      const { code, message } = toFault(error);
      logger.warn({ code }, `${message}; the previous tokens stay in use`);
    }
  }

  return {
    authenticator: createAuthenticator(scheme, (token) => isKnown(token)),
    async start() {
      // Before the content: a write in between is found by the next poll.
      if (filename !== undefined) version = await fileVersion(filename);
      const all = filename === undefined ? configured : [...configured, ...(await readTokenFile(filename))];
      if (all.length === 0) {
        const sentence = `${filename ?? 'the configuration'} has no token: write one per line`;
        throw new Fault('TOKENS_MISSING', sentence);
      }
      isKnown = createTokenCheck(all);
      if (filename === undefined) return;
      timer = setInterval(() => {
        if (isPolling) return;
        isPolling = true;
        void poll(filename).finally(() => {
          isPolling = false;
        });
      }, pollMs).unref();
    },
    async shutdown() {
      clearInterval(timer);
    },
  };
}

function createAuthenticator(scheme: string, isKnown: (token: string) => boolean): Authenticator {
  const challenge = `${scheme} realm="faultline"`;
  const missing = `this endpoint requires a token: send the header "authorization: ${scheme} <token>"`;
  const wrong = 'the token is not valid for this endpoint: ask the operator of the collector for one';
  return {
    refusalOf(authorization) {
      const shown = tokenOf(authorization, scheme);
      if (shown === undefined) return unauthorized('TOKEN_MISSING', missing, challenge);
      if (isKnown(shown)) return undefined;
      return unauthorized('TOKEN_WRONG', wrong, `${challenge}, error="invalid_token"`);
    },
  };
}

/** RFC 9110, 11.4: scheme in any case, spaces, token. */
function tokenOf(authorization: string | undefined, scheme: string): string | undefined {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase()) return undefined;
  const rest = authorization.slice(scheme.length);
  // Not `trim`: the last byte of a UTF-8 letter may look like a space.
  const token = rest.replace(/^ +/, '');
  return token !== rest && token !== '' ? token : undefined;
}

function unauthorized(code: string, sentence: string, challenge: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { 'www-authenticate': challenge } });
}

/** Creates the check of a token against the accepted ones, which are stored as SHA-256 digests. */
export function createTokenCheck(tokens: readonly string[]) {
  const digests = tokens.map((token) => digestOf(Buffer.from(token, 'utf8')));

  /** Compares with every token in constant time. `shown` is a header as node:http returns it: one byte per character. */
  return (shown: string): boolean => {
    const digest = digestOf(Buffer.from(shown, 'latin1'));
    let isAccepted = 0;
    for (const accepted of digests) isAccepted |= Number(timingSafeEqual(accepted, digest));
    return isAccepted === 1;
  };
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
