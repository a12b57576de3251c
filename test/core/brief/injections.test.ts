import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { briefMarkdown } from '../../../core/brief/brief.js';
import { eventBrief } from '../../../core/brief/event-brief.js';
import { issueBrief } from '../../../core/brief/issue-brief.js';
import { listBrief } from '../../../core/brief/list-brief.js';
import { toEventId } from '../../../core/event/ids.js';
import { closeStores, type StoreUnderTest, storeInMemory } from '../storage/store-under-test.js';
import { TEN_O_CLOCK_MS } from '../storage/ten-o-clock.js';

afterAll(closeStores);

const OPENING = /^~~~ untrusted, origin: (?:token|local|anonymous|unknown)$/;
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<!\p{Emoji})\p{Default_Ignorable_Code_Point}/u;
const MARKUP =
  /[<\uff1c](?!(?:text|anonymous|module|lambda|n)>)[\p{L}/!?|_]|\[\/?(?:INST|SYSTEM|TOOL_CALLS)\]|~~~|```|\]\(|(?:java|vb)script:|data:text/iu;
const TURN = /^\| [ \t>*_"'`|-]*(?:human|assistant|system|user|developer|tool)[*_ \t]*[:\uff1a]/i;
const HEADING = /^\| [ >|-]*#/;

/** The lines outside of fences, without ids and numbers; fails on a line inside that is not behind the prefix or not neutral. */
function linesOutside(markdown: string): string[] {
  const outside: string[] = [];
  const escaped: string[] = [];
  let isInside = false;
  for (const line of markdown.split('\n')) {
    if (!isInside && OPENING.test(line)) isInside = true;
    else if (isInside && line === '~~~') isInside = false;
    else if (!isInside) outside.push(line);
    else if (!line.startsWith('| ') || [HIDDEN, MARKUP, TURN, HEADING].some((pattern) => pattern.test(line)))
      escaped.push(line);
  }
  expect({ isInside, escaped }).toEqual({ isInside: false, escaped: [] });
  return outside.filter((line) => !/^Left out: (?:\d+ [a-z ]+(?:, |\.$))+$/.test(line)).map(masked);
}

function masked(line: string): string {
  return line
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|(?<=^\d+ )[0-9a-f]{8}/g, 'ID')
    .replace(/\d+[mhd] ago/g, 'AGO')
    .replace(/\d+/g, 'N');
}

/** Briefs of an event and of its issue with `text` in every field. */
async function briefsOf({ store, reader, append }: StoreUnderTest, text: string): Promise<string[]> {
  const frame = { function: text, filename: text, module: text, lineno: 3, context_line: text };
  const stacktrace = { frames: [{ ...frame, pre_context: [text], post_context: [text] }] };
  const [stored] = await append({
    app: text,
    service: text,
    env: text,
    error_name: text,
    message: text,
    level: text,
    method: text,
    release: text,
    request_id: text,
    route: text,
    session_id: text,
    user_id: text,
    stack: `${text}\n    at ${text} (/srv/${text}.js:1:1)`,
    tags: { [text]: text, system: text },
    extra: {
      [text]: text,
      sentry: {
        exception: { values: [{ type: text, value: text, stacktrace }] },
        breadcrumbs: { values: [{ category: text, message: text, level: text, data: { [text]: text } }] },
      },
    },
  });
  const event = await reader.getEvent(toEventId(stored?.event_id ?? '') ?? fail());
  if (event === undefined) throw new Error('the event is gone');
  await store.act(event.issue_id, { action: 'comment', text: text.slice(0, 1_000), actor: 'anna' });
  const issue = await reader.getIssue(event.issue_id);
  if (issue === undefined) throw new Error('the issue is gone');
  const { events } = await reader.searchEvents({ limit: 3 });
  const options = { maxTokens: 8_000, nowMs: TEN_O_CLOCK_MS };
  return [issueBrief(issue, event, options), eventBrief(event, options), listBrief([issue, ...events], options)].map(
    briefMarkdown,
  );
}

function fail(): never {
  throw new Error('nothing was stored');
}

describe('an attempt to inject instructions', () => {
  it('never leaves the fence of its event, in any field', async () => {
    const file = await readFile(join(import.meta.dirname, '../../fixtures/injections/attempts.ndjson'), 'utf8');
    const attempts: { name: string; text: string }[] = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(attempts.length).toBeGreaterThanOrEqual(100);
    const store = await storeInMemory();
    await briefsOf(store, 'plain');
    await briefsOf(store, 'plain');
    const plain = (await briefsOf(store, 'plain')).map(linesOutside);
    for (const { text } of attempts) {
      const attacked = (await briefsOf(store, text)).map(linesOutside);
      expect(attacked).toEqual(plain);
    }
  });
});
