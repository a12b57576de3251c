import fc from 'fast-check';
import { eventMarkdown, issueMarkdown } from '../../../tui/format/export/markdown-issue.js';
import { markdownCell, markdownFence, markdownInline } from '../../../tui/format/export/markdown-text.js';
import { createArrayReader, sampleEvent, sampleIssue, sampleIssueId } from '../array-reader.js';

const NASTY = [
  'fixes #1',
  '@everyone look',
  '`code` ``` more',
  '| a \\| b \\',
  '</details><script>alert(1)</script>',
  '[x](javascript:alert(1)) ![](http://a.example/p.png)',
  'https://evil.example www.evil.example',
  '\u001b]52;c;aGk=\u0007\u009b2J\u202e\u200b\u2028',
  'line one\n# heading\n```\n---\n> quote',
  'commit 0123456789abcdef0123456789abcdef01234567 GH-12',
  '    indented',
  ':tada: $x$ <!-- ',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary' })))
  .map((all) => all.join(' '));

/** The text outside of code spans (CommonMark's rule) and of our fences. */
function outsideCode(markdown: string): string {
  const withoutFences = markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
  return withoutFences.replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, '');
}

/** The number of cells of a row by GFM. */
function cellsOfRow(row: string): number {
  return row.replace(/\\\|/g, '').split('|').length - 2;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const hiddenBut = (text: string): boolean => HIDDEN.test(text.replaceAll('\n', ''));

describe('untrusted text in Markdown', () => {
  it('is unchanged if it is plain words, else code', () => {
    expect(markdownInline('the number 12 did not answer')).toBe('the number 12 did not answer');
    expect(markdownInline('fixes #1')).toBe('`fixes #1`');
    expect(markdownInline('@anna')).toBe('`@anna`');
    expect(markdownInline('a `b`')).toBe('`` a `b` ``');
    expect(markdownInline('see GH-12')).toBe('`see GH-12`');
    expect(markdownInline('deadbeef1')).toBe('`deadbeef1`');
    expect(markdownInline('')).toBe('-');
    expect(markdownInline('a\nb\u001b')).toBe('`a␊b␛`');
  });

  it('cannot end a cell, with any bars and backslashes', () => {
    expect(markdownCell('a|b')).toBe('`a\\|b`');
    expect(markdownCell('a\\|b')).toBe('`a\\` `\\|b`');
    fc.assert(
      fc.property(hostile, (text) => {
        const cell = markdownCell(text);
        expect(cell).not.toMatch(/\n/);
        expect(cell.replace(/(?<!\\)\\\|/g, '')).not.toContain('|');
      }),
    );
  });

  it('never becomes markup, a link, a mention or a reference', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const made of [markdownInline(text), markdownCell(text)]) {
          expect(outsideCode(made)).toMatch(/^[A-Za-z0-9 ,;()'".:…-]*$/);
          expect(hiddenBut(made)).toBe(false);
        }
      }),
    );
  });

  it('cannot close its fence', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [fence = '', ...lines] = markdownFence(text, 2_000).split('\n');
        const ticks = fence.replace('text', '');
        const closing = lines.findIndex((line) => /^ {0,3}`+\s*$/.test(line) && line.trim().length >= ticks.length);
        expect(lines.slice(closing + 1).join('')).toMatch(/^(?:Cut: it has \d+ characters\.)?$/);
      }),
    );
  });

  it('is cut before it is processed, with a note about the cut', () => {
    const long = '`\u202e'.repeat(5 * 1024 * 1024);
    expect(markdownInline(long).length).toBeLessThan(320);
    expect(markdownFence(long, 1_000)).toMatch(/Cut: it has 10485760 characters\.$/);
    expect(markdownFence(long, 1_000).length).toBeLessThan(2_100);
  });
});

describe('issueMarkdown', () => {
  const event = sampleEvent(1, 1, {
    message: NASTY.join(' '),
    stack: `${NASTY.join('\n')}\n${'\tat x (y.js:1:2)\n'.repeat(3)}`,
    tags: JSON.parse('{"__proto__":"| x |","a|b":"@anna\\nfixes #2","":"`"}'),
    route: '/@anna',
    user_id: '#12',
    release: '```',
  });

  it('prints the fields, the stack trace, the tags and the position of the raw line', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1, { count: 1_234 })], events: [] });
    const issue = await reader.getIssue(sampleIssueId(1));
    if (issue === undefined) throw new Error('not there');
    const text = issueMarkdown(issue, sampleEvent(1, 41));
    expect(text).toMatch(/^# Failure1: the number 1 did not answer\n/);
    expect(text).toContain('| Events | 1,234 |');
    expect(text).toContain('| State | open |');
    expect(text).toContain('by error type and message');
    expect(text).toContain('    at checkQuantity (/srv/api/src/cart/validate-line.js:41:9)\n');
    expect(text).toContain('| region | eu-west |');
    expect(text).toContain(
      'Raw line: `/var/lib/faultline/raw/production/api/shop/2026/11/20/10/raw.ndjson`, line 41, counted from zero.',
    );
  });

  it('contains no markup of the sender, in any field', async () => {
    const reader = createArrayReader({
      issues: [
        sampleIssue(1, {
          title: '# @everyone fixes #1 `x`\n',
          culprit: '](x)',
          app: '<b>',
          service: '|',
          environments: ['@prod', '|'],
          releases: ['#7'],
          assignee: '@anna',
          level: '**x**',
        }),
      ],
      events: [event],
    });
    const issue = await reader.getIssue(sampleIssueId(1));
    if (issue === undefined) throw new Error('not there');
    const hostileIssue = {
      ...issue,
      basis: {
        version: 1,
        rule: '@rule',
        parts: [{ part: '@part', used: true, value: ['@x', '#1'], reason: 'fixes #3' }],
      },
    };
    for (const text of [issueMarkdown(hostileIssue, event), eventMarkdown(event)]) {
      const left = outsideCode(text);
      expect(left).not.toMatch(/@|[<>[\]*$~!]|#\d|\w\/\/|www\./);
      expect(left.replace(/^#{1,3} /gm, '')).not.toContain('#');
      expect(hiddenBut(text)).toBe(false);
      const rows = text.split('\n').filter((line) => line.startsWith('| '));
      const tables = text.split(/\n{2,}/).filter((block) => block.startsWith('| '));
      expect(rows.length).toBeGreaterThan(2);
      for (const table of tables) {
        const counts = table.trimEnd().split('\n').map(cellsOfRow);
        expect(new Set(counts).size).toBe(1);
      }
    }
  });

  it('stays within the limit of a tracker for any event', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    const issue = await reader.getIssue(sampleIssueId(1));
    if (issue === undefined) throw new Error('not there');
    const bars = '\\|'.repeat(500);
    const big = '\u202e`|'.repeat(3 * 1024 * 1024);
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`${bars}${n}`, bars]));
    const huge = sampleEvent(1, 1, { message: big, stack: big, tags, route: bars, user_id: bars, release: bars });
    const text = issueMarkdown({ ...issue, title: bars, culprit: bars, assignee: bars }, huge);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain('9980 more tags are not shown.');
  });
});
