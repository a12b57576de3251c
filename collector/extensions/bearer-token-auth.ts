import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import type { BearerTokenAuthExtensionSettings } from '../../generated/settings.js';
import type { Component } from '../component/component.js';
import type { Authenticator } from '../http/messages/authenticator.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { toFault } from '../http/messages/problem.js';

/** The least that nobody guesses, as the schema has it for tokens in the configuration. */
const MIN_TOKEN_LENGTH = 16;
const MAX_TOKEN_LENGTH = 4_096;
/** Every request is compared with all of them. */
const MAX_TOKENS = 1_000;

/**
 * The tokens of a file, one on a line; blank lines, and such that begin with `#`, are passed over. Throws `TOKEN_FILE_INVALID`, which names the line and never what stands there.
 */
export function parseTokenLines(path: string, text: string): readonly string[] {
  const tokens: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [place, line] of lines.entries()) {
    const token = line.trim();
    if (token === '' || token.startsWith('#')) continue;
    if (token.length < MIN_TOKEN_LENGTH) throw invalid(path, place, `is shorter than ${MIN_TOKEN_LENGTH} characters`);
    if (/\p{Cc}/u.test(token)) throw invalid(path, place, 'holds a control character; is this a text file?');
    if (/\s/.test(token)) throw invalid(path, place, 'holds a blank; write each token on a line of its own');
    if (token.length > MAX_TOKEN_LENGTH) throw invalid(path, place, `is longer than ${MAX_TOKEN_LENGTH} characters`);
    if (tokens.length === MAX_TOKENS) throw invalid(path, place, `is beyond the ${MAX_TOKENS}th`);
    tokens.push(token);
  }
  return tokens;
}

function invalid(path: string, place: number, problem: string): Fault {
  return new Fault('TOKEN_FILE_INVALID', `the token in line ${place + 1} of ${path} ${problem}`);
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** Reads the tokens of a file. Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_FILE_INVALID`, which name the file. */
async function readTokenFile(path: string): Promise<readonly string[]> {
  return parseTokenLines(path, await readText(path));
}

/** What changes when a file is written or replaced; a text of its own where there is none. */
async function markOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    return codeOf(error);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_FILE_BYTES) return await readFile(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause);
    throw new Fault('TOKEN_FILE_UNREADABLE', `the tokens in ${path} cannot be read: ${REASONS[code] ?? code}`, {
      cause,
    });
  }
  throw new Fault('TOKEN_FILE_INVALID', `the file of tokens ${path} is larger than ${MAX_FILE_BYTES} bytes`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}

/** Extension `bearertokenauth`: lets those call who show a token. */
export interface BearerTokenAuth extends Component {
  /** Refuses everybody before `start`. */
  readonly authenticator: Authenticator;
}

const LOOK_MS = 1_000;

/**
 * Builds the extension; the file is read at its start, and looked at every `lookMs`. `start` throws `TOKEN_FILE_UNREADABLE`, `TOKEN_FILE_INVALID` and
 * `TOKENS_MISSING`.
 */
export function createBearerTokenAuth(
  settings: BearerTokenAuthExtensionSettings,
  logger: Logger,
  lookMs = LOOK_MS,
): BearerTokenAuth {
  const { filename, token, tokens, scheme } = settings;
  const configured = [...(token === undefined ? [] : [token]), ...tokens];
  let known = new TokenSet([]);
  let mark = '';
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  /** A file that is emptied lets nobody in any more; one that cannot be read says nothing, and what it said before counts. */
  async function look(path: string): Promise<void> {
    const seen = await markOfFile(path);
    if (seen === mark) return;
    mark = seen;
    try {
      const found = await readTokenFile(path);
      known = new TokenSet([...configured, ...found]);
      logger.info({ tokens: configured.length + found.length }, 'the file of tokens changed');
    } catch (error) {
      const { code, message } = toFault(error);
      logger.warn({ code }, `${message}; the tokens before stay in use`);
    }
  }

  return {
    authenticator: createAuthenticator(scheme, () => known),
    async start() {
      // Before the text: what is written between the two is seen at the next look.
      if (filename !== undefined) mark = await markOfFile(filename);
      const found = filename === undefined ? [] : await readTokenFile(filename);
      const all = [...configured, ...found];
      if (all.length === 0) {
        const sentence = `${filename ?? 'the configuration'} holds no token: write one on a line of its own`;
        throw new Fault('TOKENS_MISSING', sentence);
      }
      known = new TokenSet(all);
      if (filename === undefined) return;
      timer = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        void look(filename).finally(() => {
          isLooking = false;
        });
      }, lookMs).unref();
    },
    async shutdown() {
      clearInterval(timer);
    },
  };
}

function createAuthenticator(scheme: string, known: () => TokenSet): Authenticator {
  const challenge = `${scheme} realm="faultline"`;
  const missing = `this endpoint wants a token: send the header "authorization: ${scheme} <token>"`;
  const wrong = 'the token is not one of those that this endpoint takes: ask the operator of the collector for one';
  return {
    refusalOf(authorization) {
      const shown = tokenOf(authorization, scheme);
      if (shown === undefined) return unauthorized('TOKEN_MISSING', missing, challenge);
      if (known().has(shown)) return undefined;
      return unauthorized('TOKEN_WRONG', wrong, `${challenge}, error="invalid_token"`);
    },
  };
}

/** RFC 9110, 11.4: a scheme in any case, spaces, and the token. */
function tokenOf(authorization: string | undefined, scheme: string): string | undefined {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase()) return undefined;
  const rest = authorization.slice(scheme.length);
  // Not `trim`: the last byte of a UTF-8 letter, read as a character, may be a space to it.
  const token = rest.replace(/^ +/, '');
  return token !== rest && token !== '' ? token : undefined;
}

function unauthorized(code: string, sentence: string, challenge: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { 'www-authenticate': challenge } });
}

/** Tokens that are accepted. Of them only their SHA-256 is kept. */
export class TokenSet {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map((token) => digestOf(Buffer.from(token, 'utf8')));
  }

  /** Compares with every token, each in constant time: how long it takes tells nothing of what was close. `shown` is as node:http gives headers, a byte a character. */
  has(shown: string): boolean {
    const digest = digestOf(Buffer.from(shown, 'latin1'));
    let found = 0;
    for (const known of this.#digests) found |= Number(timingSafeEqual(known, digest));
    return found === 1;
  }
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
