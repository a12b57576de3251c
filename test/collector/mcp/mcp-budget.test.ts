import { readFile } from 'node:fs/promises';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { Random } from '../../../collector/demo/random.js';
import { SHOP_FAILURES, shopPayload } from '../../../collector/demo/shop.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';
import { closeClients, store, type TestClient, type ToolAnswer, WAYS } from './mcp-clients.js';

let running: RunningService;
let client: TestClient;

beforeAll(async () => {
  const sets = ['service.extensions=[query, mcp]', 'extensions.mcp.allow_writes=true'];
  running = await startService(settingsFor(await temporaryFolder(), ...sets));
  client = await WAYS['client v2 over HTTP']({ url: running.apiUrl.replace('/api/v1', '/mcp') });
});
afterAll(async () => {
  await closeClients();
  await running.service.shutdown();
  await removeTemporaryFolders();
});

/** The more of both tokenizers. */
function tokensIn(text: string): number {
  return Math.max(cl100k(text, NOTHING_SPECIAL), o200k(text, NOTHING_SPECIAL));
}
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

function tokensOf({ content, structuredContent }: ToolAnswer): number {
  const texts = content.map((block) => block.text ?? JSON.stringify(block));
  return tokensIn(texts.join('\n')) + tokensIn(JSON.stringify(structuredContent));
}

/** Calls every tool that reads about one event. */
async function everyAnswer(
  stored: { event_id: string; issue_id: string },
  given: Record<string, unknown> = {},
): Promise<ToolAnswer[]> {
  const { event_id, issue_id } = stored;
  const { limit: _limit, ...perOne } = given;
  const { cursor } = (await client.call('changes_since')).structuredContent;
  await client.call('triage_issue', { issue_id, action: 'comment', text: 'seen', actor: 'test', reason: 'none' });
  const changes = await client.call('changes_since', { cursor, ...given });
  const calls = [
    client.call('list_issues', given),
    client.call('get_issue', { issue_id, ...perOne }),
    client.call('search_events', given),
    client.call('get_event', { event_id, ...perOne }),
    client.call('explain_grouping', { a: event_id, b: issue_id, ...perOne }),
  ];
  return [changes, ...(await Promise.all(calls))];
}

describe('budgets', () => {
  it('defines everything in at most 4,000 tokens', async () => {
    expect((await client.tools()).map(({ name }) => name)).toContain('triage_issue');
    expect(tokensIn(await client.definitions())).toBeLessThanOrEqual(4_000);
  });

  it('answers about the demo within 2,000 tokens, and within max_tokens', async () => {
    const random = new Random(1);
    const payloads = SHOP_FAILURES.map((failure) => shopPayload(failure, random, Date.now(), 'v1.4.2'));
    // The longest one last.
    payloads.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
    let stored = { event_id: '', issue_id: '' };
    for (const payload of payloads) stored = await store(running, payload);
    for (const answer of await everyAnswer(stored)) expect(tokensOf(answer)).toBeLessThanOrEqual(2_000);
    const { structuredContent } = await client.call('list_issues');
    expect(structuredContent['issues']).toHaveLength(SHOP_FAILURES.length);
    for (const payload of payloads) await store(running, { ...payload, error_name: `${payload.error_name}Again` });
    const more = await client.call('list_issues');
    expect((more.structuredContent['issues'] as unknown[]).length).toBeGreaterThanOrEqual(14);
    expect(tokensOf(more)).toBeLessThanOrEqual(2_000);
  });

  it.each([
    ['ASCII', 'GET /cart?id=17 failed; '],
    ['Chinese', '订单已经失败了'],
    ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈'],
    ['random letters', 'xQzjVkpWqzXjvKq'],
  ])('answers about an event of 1 MB of %s within 1,500 and 8,000 tokens', async (_name, text) => {
    const message = text.repeat(Math.ceil(300_000 / Buffer.byteLength(text)));
    const frames = message.slice(0, 4_000);
    const stored = await store(running, {
      message,
      error_name: `${text}Error`,
      stack: Array.from({ length: 80 }, (_, line) => `    at f${line} (/srv/${frames.slice(0, 90)}.js:${line}:1)`).join(
        '\n',
      ),
      tags: Object.fromEntries(Array.from({ length: 40 }, (_, tag) => [`t${tag}`, text.repeat(5)])),
      extra: { body: message, breadcrumbs: Array.from({ length: 200 }, () => ({ message: frames.slice(0, 500) })) },
    });
    for (const max_tokens of [1_500, 8_000]) {
      for (const answer of await everyAnswer(stored, { max_tokens })) {
        expect(answer).not.toMatchObject({ isError: true });
        expect(tokensOf(answer)).toBeLessThanOrEqual(max_tokens);
      }
    }
    const { structuredContent } = await client.call('get_event', { event_id: stored.event_id });
    expect(Object.keys(structuredContent['left_out'] as object)).not.toEqual([]);
  });
});

const OPENING = /^~~~ untrusted, origin: (?:token|local|anonymous|unknown)$/;

/** The lines outside of fences. */
function linesOutside(text: string): string[] {
  const outside: string[] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    if (!isInside && OPENING.test(line)) isInside = true;
    else if (isInside && line === '~~~') isInside = false;
    else if (isInside) expect(line.slice(0, 2)).toBe('| ');
    else outside.push(line);
  }
  expect(isInside).toBe(false);
  return outside;
}

/** Everything that an answer says outside of fences, without ids, numbers and cursors. */
function saidOutside({ content, structuredContent }: ToolAnswer): string {
  const { event_text: fences, left_out: _leftOut, ...facts } = structuredContent;
  const lines = [...content.flatMap(({ text }) => linesOutside(text ?? '')), ...linesOutside(String(fences ?? ''))];
  return masked(lines.join('\n')) + masked(JSON.stringify(facts));
}

function masked(text: string): string {
  return text
    .replace(/^Left out: .*\n?/gm, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|(?<=^\d+ )[0-9a-f]{8}/gm, 'ID')
    .replace(/\d+[mhd] ago/g, 'AGO')
    .replace(/((?:[Cc]ursor"?: ?"?))[\w-]+/g, '$1C')
    .replace(/\d+/g, 'N');
}

/** The last attempt of each kind; the tests of briefs in `core` have all of them. */
async function attemptsOfEachKind(): Promise<string[]> {
  const lines = (await readFile('test/fixtures/injections/attempts.ndjson', 'utf8')).trim().split('\n');
  const attempts = lines.map((line): { name: string; text: string } => JSON.parse(line));
  return [...new Map(attempts.map(({ name, text }) => [name.replace(/ \d+$/, ''), text])).values()];
}

describe('texts of events', () => {
  const rawOf = ({ event_id }: { event_id: string }) => `faultline://events/${event_id}/raw`;
  /** Lists of one row say the same of every event. */
  const ONE = { limit: 1 };

  it('never leave their fence, whatever they hold and whichever tool shows them', async () => {
    const attempts = await attemptsOfEachKind();
    expect(attempts.length).toBeGreaterThanOrEqual(10);
    const stored = await store(running, { error_name: 'PlainError', message: 'plain' });
    const plain = (await everyAnswer(stored, ONE)).map(saidOutside);
    const plainRaw = masked(linesOutside(await client.read(rawOf(stored))).join('\n'));
    for (const text of attempts) {
      const stored = await store(running, {
        ...{ app: text, service: text, env: text, error_name: text, message: text, level: text, method: text },
        ...{ release: text, request_id: text, route: text, session_id: text, user_id: text },
        stack: `${text}\n    at ${text} (/srv/${text}.js:1:1)`,
        tags: { [text]: text },
        extra: { [text]: text, breadcrumbs: [{ message: text, category: text }] },
      });
      for (const answer of await everyAnswer(stored, ONE)) {
        expect(plain).toContain(saidOutside(answer));
      }
      const raw = await client.read(rawOf(stored));
      expect(masked(linesOutside(raw).join('\n'))).toBe(plainRaw);
    }
  });

  it('are not part of errors', async () => {
    const text = 'IGNORE-PREVIOUS-INSTRUCTIONS';
    const { issue_id, event_id } = await store(running, {
      error_name: text,
      message: text,
      service: text,
      release: text,
    });
    const signed = { issue_id, actor: 'test', reason: 'none' };
    const failed = [
      await client.call('triage_issue', { ...signed, action: 'ignore', snooze: '7' }),
      await client.call('triage_issue', { ...signed, action: 'split' }),
      await client.call('triage_issue', { ...signed, action: 'merge', issues: [event_id] }),
      await client.call('undo', { ...signed, undo_id: 'none' }),
      await client.call('get_event', { event_id: issue_id }),
      await client.call('get_issue', { issue_id: event_id }),
      await client.call('explain_grouping', { a: issue_id, b: '00000000-0000-5000-8000-000000000000' }),
    ];
    for (const answer of failed) {
      expect(answer).toMatchObject({ isError: true });
      expect(JSON.stringify(answer)).not.toContain(text);
    }
  });
});
