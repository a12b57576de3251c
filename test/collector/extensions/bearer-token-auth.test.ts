import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import {
  createBearerTokenAuth,
  createTokenCheck,
  parseTokenLines,
} from '../../../collector/extensions/bearer-token-auth.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const FIRST = 'the-first-token-of-all';
const SECOND = 'another-token-that-counts';

let logged: string[];
let auth: ReturnType<typeof createBearerTokenAuth> | undefined;
let path: string;
beforeEach(async () => {
  logged = [];
  path = join(await temporaryFolder(), 'tokens');
});
afterEach(() => auth?.shutdown());
afterAll(removeTemporaryFolders);

async function start(settings: {
  token?: string;
  tokens?: string[];
  filename?: string;
  scheme?: string;
}): Promise<void> {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const whole = { scheme: 'Bearer', tokens: [], ...settings };
  auth = createBearerTokenAuth(whole, logger, 5);
  await auth.start();
}
const codeFor = (token: string, scheme = 'Bearer') => auth?.authenticator.refusalOf(`${scheme} ${token}`)?.code;

it('refuses everything before it has started', () => {
  const logger = pino({ level: 'silent' });
  const early = createBearerTokenAuth({ scheme: 'Bearer', token: FIRST, tokens: [] }, logger);
  expect(early.authenticator.refusalOf(`Bearer ${FIRST}`)?.code).toBe('TOKEN_WRONG');
});

it('accepts tokens of the configuration and of a file, under the configured scheme', async () => {
  await writeFile(path, `# for the shop\n\n  ${SECOND}  \r\n`);
  await start({ token: FIRST, filename: path, scheme: 'Token' });
  expect([codeFor(FIRST, 'Token'), codeFor(SECOND, 'Token')]).toEqual([undefined, undefined]);
  expect([codeFor(FIRST), codeFor('# for the shop', 'Token')]).toEqual(['TOKEN_MISSING', 'TOKEN_WRONG']);
});

it('follows its file: new tokens are accepted, removed ones are not, and none is logged', async () => {
  await writeFile(path, FIRST);
  await start({ filename: path });
  await writeFile(path, `${FIRST}\n${SECOND}\n`);
  await waitFor('the second', () => codeFor(SECOND) === undefined);
  await writeFile(path, `${SECOND}\n`);
  await waitFor('the first to be gone', () => codeFor(FIRST) === 'TOKEN_WRONG');
  await writeFile(path, '');
  await waitFor('nobody', () => codeFor(SECOND) === 'TOKEN_WRONG');
  expect(logged.join('')).not.toMatch(new RegExp(`${FIRST}|${SECOND}`));
});

it('keeps its tokens while the file cannot be read, and logs that once', async () => {
  await writeFile(path, FIRST);
  await start({ filename: path });
  await rm(path);
  const warnings = () => logged.filter((line) => line.includes('TOKEN_FILE_UNREADABLE'));
  await waitFor('a warning', () => warnings().length > 0);
  expect(codeFor(FIRST)).toBeUndefined();
  await writeFile(path, SECOND);
  await waitFor('the new one', () => codeFor(SECOND) === undefined);
  expect(warnings()).toHaveLength(1);
});

it.each([
  ['is not there', undefined, 'TOKEN_FILE_UNREADABLE'],
  ['holds none', '# nothing\n\n', 'TOKENS_MISSING'],
  ['holds one that is short', `${FIRST}\nshort\n`, 'TOKEN_FILE_INVALID'],
])('does not start if its file %s', async (_, text, code) => {
  if (text !== undefined) await writeFile(path, text);
  await expect(start({ filename: path })).rejects.toMatchObject({ code, message: expect.stringContaining(path) });
});

it.each([
  ['Bearer', 'TOKEN_MISSING'],
  ['Bearer ', 'TOKEN_MISSING'],
  ['Bearer    ', 'TOKEN_MISSING'],
  [`Bearer\t${FIRST}`, 'TOKEN_MISSING'],
  [`Bearer, Bearer ${FIRST}`, 'TOKEN_MISSING'],
  [`Bearer ${FIRST}, Bearer ${FIRST}`, 'TOKEN_WRONG'],
  [`Bearer ${FIRST.slice(0, -1)}`, 'TOKEN_WRONG'],
  [`Bearer ${FIRST}${FIRST}`, 'TOKEN_WRONG'],
  [`Bearer ${FIRST}\0`, 'TOKEN_WRONG'],
  [`bEARER    ${FIRST}`, undefined],
])('treats %j as %s', async (authorization, code) => {
  await start({ token: FIRST });
  expect(auth?.authenticator.refusalOf(authorization)?.code).toBe(code);
});

it('accepts letters of every script, even if their last byte looks like a space', async () => {
  for (const token of ['schlüssel-für-voilà', '漢字漢字漢字漢字漢字漢字漢字漢字']) {
    await start({ token });
    expect(codeFor(Buffer.from(token, 'utf8').toString('latin1'))).toBeUndefined();
    await auth?.shutdown();
  }
});

it('recognises the last of many tokens and the first', async () => {
  const tokens = Array.from({ length: 1_000 }, (_, index) => `token-of-client-${index}`);
  await start({ tokens });
  expect([codeFor('token-of-client-0'), codeFor('token-of-client-999')]).toEqual([undefined, undefined]);
  expect(codeFor('token-of-client-1000')).toBe('TOKEN_WRONG');
});

describe('a set of tokens', () => {
  it('contains exactly the tokens that were added', () => {
    const token = fc.string({ minLength: 16, maxLength: 40, unit: 'binary-ascii' });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 5 }), token, (known, shown) => {
        const isKnown = createTokenCheck(known);
        return known.every((one) => isKnown(one)) && isKnown(shown) === known.includes(shown);
      }),
    );
  });

  it('recognises a token in UTF-8 by its bytes', () => {
    const isKnown = createTokenCheck(['schlüssel-zum-lager']);
    expect(isKnown(Buffer.from('schlüssel-zum-lager', 'utf8').toString('latin1'))).toBe(true);
  });
});

it('parses tokens of any characters except white space and control characters, among comments and blank lines', () => {
  const unit = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter((one) => !/[\s\p{Cc}]/u.test(one));
  const token = fc.string({ unit, minLength: 16, maxLength: 30 }).filter((one) => !/^[#\uFEFF]/.test(one));
  const line = fc.oneof(
    token,
    token.map((one) => `\t ${one} `),
    token.map((one) => `# ${one}`),
    fc.constant(' '),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const wanted = lines.map((one) => one.trim()).filter((one) => one !== '' && !one.startsWith('#'));
      expect(parseTokenLines('file', lines.join('\n'))).toEqual(wanted);
    }),
  );
});
