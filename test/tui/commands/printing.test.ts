import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/event/fault.js';
import { runBrowse } from '../../../tui/commands/browse.js';
import { runEvent } from '../../../tui/commands/event.js';
import { runEvents } from '../../../tui/commands/events.js';
import { runIssue } from '../../../tui/commands/issue.js';
import { runIssues } from '../../../tui/commands/issues.js';
import { detailText } from '../../../tui/format/event/detail-view.js';
import { openChosenSource } from '../../../tui/readers/open-sources.js';
import { outputs, Sheet } from '../../helpers/outputs.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createTestTerminal } from '../../helpers/terminal.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue, sampleIssueId } from '../array-reader.js';

const HOSTILE = '\u001b]52;c;aGk=\u0007\u009b2J\u202e';

const reader = createArrayReader({
  issues: [
    sampleIssue(1, { count: 5, error_name: 'Error', message: `Hostile${HOSTILE}` }),
    sampleIssue(2, { level: 'critical', environments: ['production', 'staging'] }),
    ...Array.from({ length: 700 }, (_, n) => sampleIssue(n + 3)),
  ],
  events: [sampleEvent(2, 1), sampleEvent(2, 2, { message: HOSTILE })],
});
const issues = { reader, sort: 'last_seen', limit: 50, json: false, env: {} } as const;

const OPEN_LINK = '\u001b]8;;';

describe('links in printed issues and events', () => {
  const STACK = 'Error: no\n    at setLine (/srv/shop/src/cart.ts:12:7)\n    at run (src/away.ts:3:1)';
  const linked = createArrayReader({
    issues: [sampleIssue(1)],
    events: [sampleEvent(1, 1, { stack: STACK, release: 'v1' })],
  });
  const cwd = process.cwd();
  let env: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, 'faultline'));
    const links = '{ editor: "edit:{path}:{line}:{column}", source: "https://git.test/{commit}/{path}#L{line}" }';
    await writeFile(join(home, 'faultline', 'config.yaml'), `links: ${links}\n`);
    await mkdir(join(home, 'src'));
    await writeFile(join(home, 'src', 'cart.ts'), '');
    process.chdir(home);
    env = { XDG_CONFIG_HOME: home, HOME: home, TERM: 'xterm-kitty' };
  });
  afterAll(async () => {
    process.chdir(cwd);
    await removeTemporaryFolders();
  });

  const both = async (to: ReturnType<typeof outputs>, given = env): Promise<string> => {
    const call = { reader: linked, json: false, env: given, ...to };
    expect(await runIssue({ ...call, issueId: sampleIssueId(1), format: 'table' })).toBe(0);
    expect(await runEvent({ ...call, eventId: sampleEventId(1) })).toBe(0);
    return to.out();
  };

  it('name path, line and column, and lead to the editor or the source', async () => {
    const text = await both(outputs(200));
    const editor = `edit:${process.cwd()}/src/cart.ts:12:7`;
    const label = '/srv/shop/src/cart.ts:12:7';
    expect(text.split(`${OPEN_LINK}${editor}\u001b\\${label}${OPEN_LINK}\u001b\\`)).toHaveLength(4);
    expect(text).toContain(`${OPEN_LINK}https://git.test/v1/src/away.ts#L3\u001b\\src/away.ts:3:1${OPEN_LINK}`);
  });

  it('are missing in a pipe, with NO_COLOR, in a dumb terminal and with invalid preferences', async () => {
    expect(await both(outputs())).not.toContain('\u001b');
    for (const changed of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { TERM: 'xterm' }, { XDG_CONFIG_HOME: cwd }]) {
      expect(await both(outputs(200), { ...env, ...changed })).not.toContain(OPEN_LINK);
    }
    await writeFile(join(process.cwd(), 'faultline', 'config.yaml'), 'links: { source: "ftp://x" }\n');
    expect(await both(outputs(200))).not.toContain(OPEN_LINK);
  });
});

describe('faultline issues', () => {
  it('prints NDJSON into a pipe, and a table on a terminal', async () => {
    const pipe = outputs();
    expect(await runIssues({ ...issues, ...pipe, sort: 'count', limit: 2 })).toBe(0);
    expect(pipe.out()).not.toMatch(/[\u001b\u0080-\u009f\u202e]/);
    const lines = pipe.out().split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? '')).toEqual((await reader.listIssues({ sort: 'count', limit: 1 })).issues[0]);
    const terminal = outputs(100);
    await runIssues({ ...issues, ...terminal, limit: 1 });
    expect(terminal.out()).toContain('LEVEL');
  });

  it('takes a duration, a date or a release as --since, and refuses anything else', async () => {
    for (const since of ['90000h', '2020-01-01']) {
      const to = outputs();
      expect(await runIssues({ ...issues, ...to, since, query: 'level:error', limit: 2 })).toBe(0);
      expect(to.out().split('\n')).toHaveLength(3);
    }
    const unknown = outputs();
    expect(await runIssues({ ...issues, ...unknown, since: 'v0' })).toBe(2);
    expect(unknown.err()).toContain('--since v0 is not a duration (24h), a date or a release.');
  });

  it('prints an error as JSON with --json, with its code and the column of a query', async () => {
    const to = outputs();
    expect(await runIssues({ ...issues, ...to, json: true, query: 'level:' })).toBe(2);
    expect(to.err().trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(to.err())).toMatchObject({ code: 'QUERY_INVALID', column: expect.any(Number) });
    expect(to.out()).toBe('');
  });

  it('accepts only one output format', async () => {
    const to = outputs();
    expect(await runIssues({ ...issues, ...to, json: true, format: 'table' })).toBe(2);
    expect(to.err()).toContain('--json');
  });

  it('prints a table into a pipe as wide as COLUMNS, without control sequences', async () => {
    const to = outputs();
    expect(
      await runIssues({ ...issues, ...to, sort: 'count', limit: 2, format: 'table', env: { COLUMNS: '90' } }),
    ).toBe(0);
    const [heading = '', first, ...others] = to.out().split('\n');
    expect(heading).toMatch(/^ID {7}LEVEL ISSUE +EVENTS SEEN STATE$/);
    expect(heading).toHaveLength(90);
    expect(first).toMatch(/^.{8} error Hostile␛]52;c;aGk=␇‹U\+009B›2J‹U\+202E› +5 +\S+ open$/);
    expect(others).toHaveLength(2);
    expect(to.err()).toBe('2 of 702 issues; --limit 50 shows more.\n');
  });

  it('fits a terminal and colours levels there, unless NO_COLOR is set', async () => {
    const coloured = outputs(100);
    await runIssues({ ...issues, ...coloured, limit: 3 });
    expect(coloured.out()).toContain('\u001b[31merror');
    const plain = outputs(100);
    await runIssues({ ...issues, ...plain, limit: 3, env: { NO_COLOR: '1' } });
    const text = plain.out();
    expect(text).not.toMatch(/\u001b\[[0-9;]*3[0-9]m/);
    for (const line of text.split('\n')) expect(line.replace(/\u001b\[[0-9;]*m/g, '').length).toBeLessThanOrEqual(100);
  });

  it('prints one JSON document of the reading API from several pages', async () => {
    const to = outputs();
    expect(await runIssues({ ...issues, ...to, json: true, limit: 600 })).toBe(0);
    const text = to.out();
    expect(text).not.toMatch(/[\u0080-\u009f\u202e]/);
    const document = JSON.parse(text);
    expect(document.issues).toHaveLength(600);
    expect(document.issues[0]).toEqual(sampleIssue(702));
    expect(document).toMatchObject({ total: 702, next_cursor: expect.any(String) });
  });

  it('reports an invalid query or limit, and returns 2', async () => {
    for (const wrong of [{ query: '(a' }, { limit: 0 }, { limit: 1.5 }, { limit: Number.NaN }]) {
      const to = outputs();
      expect(await runIssues({ ...issues, ...to, ...wrong })).toBe(2);
      expect([to.out(), to.err()]).toEqual(['', expect.stringMatching(/column 1|--limit/)]);
    }
  });

  it('prints the reason of a failure, neutralised', async () => {
    const to = outputs();
    const failing = createArrayReader();
    failing.fault = new Fault('COLLECTOR_UNREACHABLE', `nobody${HOSTILE}`);
    expect(await runIssues({ ...issues, ...to, reader: failing })).toBe(1);
    expect(to.err()).toBe('nobody␛]52;c;aGk=␇‹U+009B›2J‹U+202E›\n');
  });

  it('ends quietly when the reader of its output exits', async () => {
    const to = outputs();
    to.stdout._write = (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await runIssues({ ...issues, ...to })).toBe(0);
    expect(to.err()).toBe('');
  });
});

describe('faultline events', () => {
  const events = { reader, limit: 50, json: false, env: {} };

  it('prints the events of an issue, newest first', async () => {
    const to = outputs();
    expect(await runEvents({ ...events, ...to, issueId: sampleIssueId(2).toUpperCase(), format: 'table' })).toBe(0);
    const [heading, first] = to.out().split('\n');
    expect(heading).toMatch(/^TIME UTC {5}MESSAGE +ID$/);
    expect(first).toMatch(/^20 Nov 10:00 ␛]52\S+ +0000-0000$/);
    const wide = outputs(160);
    expect(await runEvents({ ...events, ...wide, limit: 1, env: { NO_COLOR: '1' } })).toBe(0);
    expect(wide.out()).toMatch(
      new RegExp(`TIME UTC +EVENT +ID\\S+\\n2026-11-20 10:00:02\\.000 ValidationError: ␛]52.* ${sampleEventId(2)}\\n$`),
    );
    expect(wide.err()).toBe('1 event; --limit 50 shows more.\n');
  });

  it('says how many events the issue has beyond the printed ones', async () => {
    const to = outputs();
    expect(await runEvents({ ...events, ...to, issueId: sampleIssueId(2), limit: 1, format: 'table' })).toBe(0);
    const { count = 0 } = (await reader.getIssue(sampleIssueId(2))) ?? {};
    expect(to.err()).toBe(
      `1 of ${count.toLocaleString('en')} event${count === 1 ? '' : 's'}; --limit 50 shows more.\n`,
    );
  });

  it('prints NDJSON into a pipe', async () => {
    const pipe = outputs();
    await runEvents({ ...events, ...pipe, issueId: sampleIssueId(2) });
    const printed = pipe.out().split('\n').slice(0, -1);
    expect(printed.map((line) => JSON.parse(line))).toEqual((await reader.listEvents(sampleIssueId(2)))?.events);
  });

  it('prints them as JSON', async () => {
    const to = outputs();
    await runEvents({ ...events, ...to, issueId: sampleIssueId(2), json: true });
    expect(JSON.parse(to.out())).toEqual({
      events: (await reader.listEvents(sampleIssueId(2)))?.events,
      next_cursor: null,
    });
  });

  it('distinguishes a malformed id from a missing issue', async () => {
    const none = outputs();
    expect(await runEvents({ ...events, ...none, issueId: '42' })).toBe(2);
    expect(none.err()).toContain('"42" is not an issue id');
    const missing = outputs();
    expect(await runEvents({ ...events, ...missing, issueId: sampleIssueId(9_999) })).toBe(1);
    expect(missing.err()).toContain(sampleIssueId(9_999));
  });
});

describe('faultline event', () => {
  it('prints the detail view, or the event as JSON', async () => {
    const text = outputs();
    expect(await runEvent({ reader, eventId: sampleEventId(2), json: false, env: {}, ...text })).toBe(0);
    expect(text.out()).toBe(detailText(sampleEvent(2, 2, { message: HOSTILE })));
    const json = outputs();
    expect(await runEvent({ reader, eventId: sampleEventId(2), json: true, env: {}, ...json })).toBe(0);
    expect(JSON.parse(json.out())).toEqual(sampleEvent(2, 2, { message: HOSTILE }));
  });

  it('prints one line of NDJSON, or Markdown', async () => {
    const line = outputs();
    await runEvent({ reader, eventId: sampleEventId(2), json: false, env: {}, format: 'ndjson', ...line });
    expect([JSON.parse(line.out()), line.out().split('\n').length]).toEqual([
      sampleEvent(2, 2, { message: HOSTILE }),
      2,
    ]);
    const markdown = outputs();
    await runEvent({ reader, eventId: sampleEventId(1), json: false, env: {}, format: 'markdown', ...markdown });
    expect(markdown.out()).toMatch(/^# `ValidationError: .*`\n/);
    const brief = outputs();
    const asBrief = { reader, eventId: sampleEventId(1), json: false, env: {}, format: 'brief' } as const;
    expect(await runEvent({ ...asBrief, ...brief })).toBe(0);
    expect(brief.out()).toContain('~~~ untrusted, origin: unknown\n| ValidationError: ');
    for (const wrong of [{ maxTokens: 499 }, { maxTokens: 8_001 }, { maxTokens: 500, format: 'markdown' as const }]) {
      expect(await runEvent({ ...asBrief, ...outputs(), ...wrong })).toBe(2);
    }
  });

  it('distinguishes a malformed id from a missing event', async () => {
    const to = outputs();
    expect(await runEvent({ reader, eventId: 'x', json: false, env: {}, ...to })).toBe(2);
    expect(await runEvent({ reader, eventId: sampleEventId(99), json: false, env: {}, ...to })).toBe(1);
    expect(to.out()).toBe('');
  });
});

describe('faultline issue', () => {
  const issue = { reader, issueId: sampleIssueId(2), json: false, env: {} };

  it('prints text on a terminal, and one line of NDJSON into a pipe', async () => {
    const terminal = outputs(80);
    expect(await runIssue({ ...issue, ...terminal })).toBe(0);
    expect(terminal.out()).toContain('One issue because of');
    const pipe = outputs();
    expect(await runIssue({ ...issue, ...pipe })).toBe(0);
    expect(JSON.parse(pipe.out())).toEqual(await reader.getIssue(sampleIssueId(2)));
    expect(pipe.out().split('\n')).toHaveLength(2);
  });

  it('fits the terminal: bars of 30 minutes in 80 columns, of 15 minutes and files with folders in 160', async () => {
    const [narrow, wide] = [outputs(80), outputs(160)];
    const plain = { env: { NO_COLOR: '1' } };
    expect(await runIssue({ ...issue, ...plain, ...narrow })).toBe(0);
    expect(await runIssue({ ...issue, ...plain, ...wide })).toBe(0);
    const [rows, wideRows] = [narrow, wide].map((to) =>
      to
        .out()
        .replaceAll(/\u001b\[[\d;]*m/g, '')
        .split('\n'),
    );
    expect(rows?.every((row) => row.length <= 80)).toBe(true);
    expect(rows?.find((row) => row.startsWith('Last 24h'))).toMatch(/^Last 24h {6}[^ ]{48} max \d+ per 30m/);
    expect(wideRows?.find((row) => row.startsWith('Last 24h'))).toMatch(/^Last 24h {6}[^ ]{96} max \d+ per 15m/);
    expect(rows).toContain('  checkQuantity (cart/validate-line.js:41:9)');
    expect(wideRows?.some((row) => /^ {2}checkQuantity \(\/.*\/cart\/validate-line.js:41:9\)$/.test(row))).toBe(true);
    expect(narrow.out()).not.toMatch(/[\u0080-\u009f\u202e]/);
  });

  it('prints Markdown with the latest event, if one is left', async () => {
    const to = outputs();
    expect(await runIssue({ ...issue, ...to, format: 'markdown' })).toBe(0);
    expect(to.out()).toContain(`## Event ${sampleEventId(2)}`);
    const without = outputs();
    expect(await runIssue({ ...issue, ...without, issueId: sampleIssueId(1), format: 'markdown' })).toBe(0);
    expect(without.out()).not.toContain('## Event');
  });
});

describe('faultline browse', () => {
  it('names the printing commands if it runs without a terminal', async () => {
    const terminal = createTestTerminal();
    const stderr = new Sheet();
    const { input: stdin, output: stdout, signals } = terminal;
    const call = { openReader: async () => reader, stderr, signals };
    expect(
      await runBrowse({ ...call, env: {}, stdin, stdout: Object.assign(outputs().stdout, { columns: 80, rows: 24 }) }),
    ).toBe(2);
    expect(await runBrowse({ ...call, env: { TERM: 'dumb' }, stdin, stdout })).toBe(2);
    expect(stderr.text).toContain('faultline issues');
    expect(terminal.written()).toBe('');
  });
});

describe('the reader of a command', () => {
  const opening = {
    // Port 9 is the discard service, which does not run here.
    defaultUrl: 'http://127.0.0.1:9',
    defaultDirectory: 'there',
    openFolder: async (directory: string) => Object.assign(createArrayReader(), { directory }),
  };

  it('is the named folder, else the named collector', async () => {
    expect((await openChosenSource({ data: 'here' }, opening)).reader).toMatchObject({ directory: 'here' });
    const { reader: remote } = await openChosenSource({ url: 'http://127.0.0.1:9' }, opening);
    await expect(remote.stats()).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE' });
    await expect(openChosenSource({ url: 'nonsense' }, opening)).rejects.toMatchObject({ code: 'URL_INVALID' });
  });

  it('is the default folder if no collector responds at the default address', async () => {
    expect((await openChosenSource({}, opening)).reader).toMatchObject({ directory: 'there' });
  });

  it('is the default collector, which may start later, if the default folder is missing too', async () => {
    const openFolder = async (directory: string) => {
      throw new Fault('FOLDER_NOT_FOUND', `${directory} is not a folder`);
    };
    const { reader: collector } = await openChosenSource({}, { ...opening, openFolder });
    await expect(collector.stats()).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE' });
    await expect(openChosenSource({ data: 'here' }, { ...opening, openFolder })).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
  });
});
