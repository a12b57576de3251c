import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { redacted } from './redacting.js';

interface WrittenSecret {
  readonly secret: string;
  readonly payload: Partial<RawPayload>;
}

const folder = join(import.meta.dirname, '../../../fixtures/redaction');
function linesOf<Line>(name: string): Line[] {
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  return lines.map((line): Line => JSON.parse(line));
}
const secrets = linesOf<WrittenSecret>('written-forms.ndjson');
const lookAlikes = linesOf<string>('written-look-alikes.ndjson');

/** Contexts in which a secret can occur in an event. */
const CONTEXTS: readonly [string, (payload: Partial<RawPayload>) => Partial<RawPayload>][] = [
  ['unchanged', (payload) => payload],
  ['as JSON in a message', (payload) => ({ message: `got ${JSON.stringify(payload)}` })],
  ['as JSON in JSON', (payload) => ({ extra: { body: JSON.stringify({ inner: JSON.stringify(payload) }) } })],
];

async function leakedIn(inContext: (payload: Partial<RawPayload>) => Partial<RawPayload>): Promise<string[]> {
  const leaked: string[] = [];
  for (const { secret, payload } of secrets) {
    const stored = JSON.stringify(await redacted(inContext(payload)));
    if (stored.includes(secret)) leaked.push(stored);
  }
  return leaked;
}

describe('secrets in many notations', () => {
  it('are more than 200, as are the harmless look-alikes', () => {
    expect([secrets.length, lookAlikes.length]).toEqual([313, 293]);
  });

  it.each(CONTEXTS)('are all masked %s', async (_, inContext) => {
    expect(await leakedIn(inContext)).toEqual([]);
  });
});

describe('codes of grants in queries', () => {
  it.each([
    [{ query_string: 'code=FakeHs3Mk9Wd6Pf1Lz8Ty5&page=2' }, { query_string: 'code=****&page=2' }],
    [{ query: [{ name: 'code', value: 'a0b1c2d3e4f5a0b1c2d3' }] }, { query: [{ name: 'code', value: '****' }] }],
  ])('are masked without a state beside them: %j', async (extra, expected) => {
    expect((await redacted({ extra })).extra).toEqual(expected);
  });
});

describe('numbers', () => {
  it('are masked under names that mean nothing else, if they have four digits', async () => {
    const extra = {
      password: 48151623,
      pin: 8311,
      secret: 12,
      token: 50256,
      has_password: true,
      password_length: 4096,
    };
    expect((await redacted({ extra })).extra).toEqual({ ...extra, password: '****', pin: '****' });
  });
});

describe('harmless texts that look like secrets', () => {
  it('are not masked in a message, in JSON within a message and between quotes', async () => {
    const touched: [string, string][] = [];
    for (const text of lookAlikes) {
      for (const message of [text, JSON.stringify({ detail: text, line: 1 }), `'${text}'`]) {
        const { message: leaked } = await redacted({ message });
        if (leaked !== message) touched.push([message, leaked]);
      }
    }
    expect(touched).toEqual([]);
  });

  it.each([
    ['a working directory', { env: { PWD: '/srv/app', OLDPWD: '/' } }],
    ['a list of names', { fields: ['user', 'password', 'token'] }],
    ['two names of secrets', { fields: ['password', 'token'] }],
    ['a field with its rule', { errors: [{ name: 'password', value: 'required' }] }],
    ['an option without a value', { argv: ['psql', '--password', '--host', 'db'] }],
    ['yes and no', { has_password: 'on file', isSecret: 'partly' }],
    [
      'codes of errors',
      { response: { body: { code: 'ERR_HTTP2_GOAWAY_SESSION' } }, query: { code: 'SPRING-2026-SALE-0042' } },
    ],
    ['harmless headers', { rawHeaders: ['Accept', '*/*', 'Host', 'x'] }],
  ])('stay as values: %s', async (_, extra) => {
    expect((await redacted({ extra })).extra).toEqual(extra);
  });
});

describe('the base64 of a private key', () => {
  const pem = `-----BEGIN PRIVATE KEY-----\n${'Fake0123456789+/'.repeat(20)}\n-----END PRIVATE KEY-----\n`;
  const base64 = Buffer.from(pem).toString('base64');

  it.each(['\n', '\r\n', '\\n', '\n    '])('is masked on lines with %j between them', async (lineBreak) => {
    const lines = base64.match(/.{1,76}/g) ?? [];
    const { message } = await redacted({ message: `key: ${lines.join(lineBreak)} ok` });
    expect(message).toBe(`key: ****${lineBreak}${lines.at(-1)} ok`);
  });
});

describe('values in calls, lists and blocks', () => {
  it.each([
    ['password: Some("a1b2c3")', 'password: Some("****")'],
    ["{'password': b'a1b2c3'}", "{'password': b'****'}"],
    ['password = a1x("b2c3")', 'password = ****")'],
    ['password: Just(a1b2c3) ok', 'password: Just(****) ok'],
    ['auth=("svc", "a1b2c3d4")', 'auth=("svc", "****")'],
    ['credentials: ["svc", "a1b2"] ok', 'credentials: ["****", "****"] ok'],
    ['cookies: {"sid":"a1","n":{"m":"b2"}} ok', 'cookies: {"sid":"****","n":{"m":"****"}} ok'],
    ['password: |\n  a1\n  b2\nport: 1', 'password: |\n  ****\nport: 1'],
    ['<p:Password a="b">x1 y2 z3</p:Password>', '<p:Password a="b">****</p:Password>'],
    ['<add key="Password" value="a1" />', '<add key="Password" value="****" />'],
    ["SET PASSWORD FOR 'x' = PASSWORD('a1')", "SET PASSWORD FOR 'x' = PASSWORD('****')"],
    [
      "INSERT INTO u (n, password) VALUES ('a', 'b1'), ('c', 'd1')",
      "INSERT INTO u (n, password) VALUES ('a', '****'), ('c', '****')",
    ],
    ['{"a":"{\\"password\\":\\"x\\\\\\"yz\\",\\"b\\":1}"}', '{"a":"{\\"password\\":\\"****\\",\\"b\\":1}"}'],
    ['password=@hunter2 password = :name', 'password=**** password = :name'],
    ['a%253Dpassword%253Da1%2526b', 'a%253Dpassword%253D****%2526b'],
    ['/etc/app/password: a1b2c3d4', '/etc/app/password: ****'],
    ['open /run/secrets/api_token: permission denied', 'open /run/secrets/api_token: permission denied'],
    ['curl -u ada:a1b2 https://x.example', 'curl -u ada:**** https://x.example'],
    ['shop:a1b2@tcp(db:3306)/x', 'shop:****@tcp(db:3306)/x'],
  ])('leave what is around them: %s', async (message, expected) => {
    expect((await redacted({ message })).message).toBe(expected);
  });
});
