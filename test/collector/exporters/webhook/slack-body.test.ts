import fc from 'fast-check';
import { NO_ALERTS } from '../../../../collector/exporters/webhook/alert.js';
import { type SlackBody, slackBody, slackText } from '../../../../collector/exporters/webhook/slack-body.js';
import { alertOf } from './alert-of.js';

const URL = 'https://errors.example.com/$(id)';

function textsOf({ text, blocks }: SlackBody): string[] {
  return [text, ...blocks.flatMap(({ text: own, fields = [] }) => [own, ...fields].flatMap((one) => one?.text ?? []))];
}

function call(alerts: ReturnType<typeof alertOf>[], beyond = NO_ALERTS) {
  return { id: 'msg_1', at: '2026-11-22T00:00:00.000Z', alerts, beyond };
}

describe('a message', () => {
  it('has the issue, its location, its count and links to open it', () => {
    const body = slackBody(call([alertOf('regressed', 7)]), URL);
    expect(body).toMatchObject({ parse: 'none', link_names: false, text: 'Issue came back in shop/api: Failure 7' });
    expect(textsOf(body)).toEqual([
      'Issue came back in shop/api: Failure 7',
      '*Issue came back* in `shop/api`\n`Failure 7`',
      '*Level*\n`error`',
      '*Environment*\n`production`',
      '*Events*\n3',
      '*Users*\n2',
      '*First seen*\n`2026-11-20T10:11:12.123456789Z`',
      '*Last seen*\n`2026-11-20T11:11:12.123456789Z`',
      '*Release*\n`v2`',
      "```faultline issue 00000000-0000-4000-8000-000000000007 --url 'https://errors.example.com/$(id)'\nfaultline browse 00000000-0000-4000-8000-000000000007 --url 'https://errors.example.com/$(id)'```",
    ]);
    expect(textsOf(slackBody(call([alertOf('new', 7)]), undefined)).at(-1)).toBe('*Release*\n`v2`');
  });

  it('lists 10 of many alerts, and counts the others', () => {
    const alerts = Array.from({ length: 25 }, (_, nth) => alertOf(nth < 20 ? 'new' : 'spiking', nth));
    const texts = textsOf(slackBody(call(alerts, { new: 100, regressed: 1, spiking: 0 }), undefined));
    expect(texts[0]).toBe('126 alerts: 120 new, 1 came back, 5 spiking');
    expect(texts[2]).toBe('*New issue* in `shop/api`, 3 events\n`Failure 0`');
    expect(texts).toHaveLength(2 + 10 + 1);
    expect(texts.at(-1)).toBe('and 116 more');
    const numbers = textsOf(slackBody(call([], { new: 5, regressed: 0, spiking: 0 }), undefined));
    expect(numbers).toEqual(['5 alerts: 5 new', '*5 alerts: 5 new*']);
  });

  it('escapes control characters, mark-up and mentions of an event', () => {
    const hostile =
      '<!here> <@U123> @channel @everyone <https://evil|ok> `x` & \u001b[2J\u202egnp.exe\n*b* root@example.com';
    const changes = {
      title: hostile,
      service: hostile,
      app: hostile,
      level: hostile,
      environments: [hostile],
      releases: [hostile],
    };
    for (const body of [
      slackBody(call([alertOf('new', 1, changes)]), URL),
      slackBody(call([alertOf('new', 1, changes), alertOf('spiking', 2, changes)]), URL),
    ]) {
      const all = textsOf(body).join('\n');
      // Mentions and links need an angle bracket, which escaping removes.
      expect(all).not.toMatch(/[<>]/);
      expect(all).not.toMatch(/[\u001b\u202e]/);
      expect(all).not.toMatch(/@(channel|everyone|here)/);
    }
    expect(slackText(hostile, 200)).toBe(
      '&lt;!here&gt; &lt;\uff20U123&gt; \uff20channel \uff20everyone &lt;https://evil|ok&gt; `x` &amp; \\u{1b}[2J\\u{202e}gnp.exe\\u{a}*b* root@example.com',
    );
  });

  it('stays within the limits of Slack for any event', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.constantFrom('&'.repeat(600), '\u{e0001}'.repeat(600), '`'.repeat(600), ''),
    );
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 12 }), (title, name, issues) => {
        const changes = { title, app: name, service: name, level: name, environments: [name, name], releases: [name] };
        const body = slackBody(call(Array.from({ length: issues }, (_, nth) => alertOf('new', nth, changes))), URL);
        expect(body.blocks.length).toBeLessThanOrEqual(50);
        for (const { text: own, fields = [] } of body.blocks) {
          expect(own?.text.length ?? 1).toBeLessThanOrEqual(3_000);
          expect(fields.length).toBeLessThanOrEqual(10);
          for (const field of fields) expect(field.text.length).toBeLessThanOrEqual(2_000);
        }
        for (const one of textsOf(body)) {
          expect(one).not.toMatch(/[<>\p{Cf}\p{Cs}]/u);
          expect((one.match(/`/g) ?? []).length % 2).toBe(0);
        }
      }),
    );
  });
});
