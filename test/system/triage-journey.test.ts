import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
} from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { FAILURES, type Failure, failure, send } from './send-failures.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

const LEVELS: Readonly<Partial<Record<Failure, string>>> = { Fir: 'warning', Ginkgo: 'warning', Hazel: 'warning' };

let collector: RunningCollector;
let terminal: TmuxSession;

beforeAll(async () => {
  collector = await startCollector(await temporaryFolder());
  const now = Date.now();
  // The first is the newest, so that the list has the order of FAILURES.
  const events = FAILURES.map((name, minutes) =>
    failure(name, { level: LEVELS[name] ?? 'error', timestamp: new Date(now - (minutes + 1) * 60_000).toISOString() }),
  );
  await send(collector, events.toReversed());
  terminal = await openTmux();
});

afterAll(async () => {
  await terminal?.close();
  collector?.child.kill('SIGTERM');
  await collector?.finished;
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Filters the list and waits until it has a number of issues. */
async function filter(query: string, count: number): Promise<void> {
  await terminal.type('/');
  await terminal.see('Esc cancel');
  // Ctrl-U clears the filter before.
  await terminal.type(`\u0015${query}`);
  await terminal.see(`/ ${query}█`);
  await terminal.press('Enter');
  await terminal.see(`/ ${query} `, new RegExp(`\\d\\[\\w+ ${count}\\]`));
}

interface ListedIssue {
  error_name: string;
  status: string;
  assignee: string | null;
  snooze: string | null;
  merged: string[];
  count: number;
}

async function listed(): Promise<Map<string, ListedIssue>> {
  const { stdout, code } = await runFaultline(['issues', '--url', collector.queryUrl, '--limit', '100', '--json']);
  expect(code).toBe(0);
  const { issues }: { issues: ListedIssue[] } = JSON.parse(stdout);
  return new Map(issues.map((issue) => [issue.error_name.replace('Error', ''), issue]));
}

it('twenty issues are triaged with keys only, and the collector stores every action', async () => {
  await terminal.run(`faultline browse --url ${collector.queryUrl}`);
  await terminal.see('1[Open 20]', /^› .*AlderError/m, /EVENTS SEEN/);

  // Resolve a range of marked issues.
  await terminal.type(' jjV');
  await terminal.see('4 marked');
  await terminal.type('r');
  await terminal.see('Resolve 4 issues');
  await terminal.type('r');
  await terminal.see('Resolved 4 issues');
  await terminal.see('1[Open 16]');

  // Filter with completion, and ignore the matches for a week.
  await terminal.type('/lev');
  await terminal.see('/ lev█');
  await terminal.press('Tab');
  await terminal.see(/^ \/ level:█/m);
  await terminal.type('w');
  await terminal.see('/ level:w█');
  await terminal.press('Tab');
  await terminal.see(/^ \/ level:warn(?:ing)?█/m);
  await terminal.press('Enter');
  await terminal.see(/^ \/ level:warn(?:ing)? +Esc clears/m);
  await terminal.see(/\d\[\w+ 3\]/);
  await terminal.type('g GV');
  await terminal.see('3 marked');
  await terminal.type('i');
  await terminal.see('Ignore 3 issues');
  await terminal.type('w');
  await terminal.see('Ignored 3 issues');
  await terminal.see(/\d\[\w+ 0\]/);

  // Assign and comment.
  await filter('elm', 1);
  await terminal.type('a');
  await terminal.see('Assign: ');
  await terminal.type('grace');
  await terminal.see('grace█');
  await terminal.press('Enter');
  await terminal.see('Assigned to grace');
  await terminal.type('c');
  await terminal.see('comment:');
  await terminal.type('seen in the evening');
  await terminal.see('seen in the evening█');
  await terminal.press('Enter');
  await terminal.see('Comment added to');

  // Merged, undone, merged again.
  await filter('ironwood OR juniper', 2);
  await terminal.type('g  m');
  await terminal.see('Merge ');
  await terminal.type('y');
  await terminal.see('Merged 2 issues');
  await terminal.see(/\d\[\w+ 1\]/);
  await terminal.type('u');
  await terminal.see('Undone.');
  await terminal.see(/\d\[\w+ 2\]/, /IronwoodError/, /JuniperError/);
  await terminal.type('g  my');
  await terminal.see('Merged 2 issues');
  await terminal.see(/\d\[\w+ 1\]/);

  // Merge and split.
  await filter('kauri OR larch', 2);
  await terminal.type('g  my');
  await terminal.see('Merged 2 issues');
  await terminal.see(/\d\[\w+ 1\]/);
  await terminal.type('M');
  await terminal.see('Split: ');
  await terminal.type('a');
  await terminal.see('Split into 2 issues');
  await terminal.see(/\d\[\w+ 2\]/);

  // Save a view and open it.
  await filter('maple', 1);
  await terminal.type('vs');
  await terminal.see('name:');
  await terminal.type('trees');
  await terminal.see('trees█');
  await terminal.press('Enter');
  await terminal.see('Saved as "trees"');
  await terminal.press('Escape');
  await terminal.seeNo('/ maple ');
  await terminal.type('v1');
  await terminal.see('/ maple ');

  // Resolve and undo.
  await terminal.type('rr');
  await terminal.see('Resolved "MapleError');
  await terminal.type('u');
  await terminal.see('Undone.');
  await terminal.see('1[Open 1]');
  await terminal.press('Escape');

  // The counts of the tabs.
  await terminal.see('1[Open 12] ');
  await terminal.type('5');
  await terminal.see('5[Resolved 4]');
  await terminal.type('4');
  await terminal.see('4[Ignored 3]');
  await terminal.type('6');
  await terminal.see('6[All 19]');
  await terminal.type('q');
  await terminal.expectAsBefore(0);

  const issues = await listed();
  const where = (matches: (issue: ListedIssue) => boolean): string[] =>
    [...issues].flatMap(([name, issue]) => (matches(issue) ? [name] : [])).sort();
  expect(where(({ status }) => status === 'resolved')).toEqual(['Alder', 'Birch', 'Cedar', 'Dogwood']);
  expect(where(({ status }) => status === 'ignored')).toEqual(['Fir', 'Ginkgo', 'Hazel']);
  expect(issues.get('Fir')?.snooze).toMatch(/^until:/);
  expect(where(({ assignee }) => assignee !== null)).toEqual(['Elm']);
  expect(issues.get('Elm')?.assignee).toBe('grace');
  expect(issues.get('Ironwood')).toMatchObject({ merged: [expect.any(String)], count: 2 });
  expect(where(({ merged }) => merged.length > 0)).toEqual(['Ironwood']);
  expect([issues.has('Juniper'), issues.has('Kauri'), issues.has('Larch')]).toEqual([false, true, true]);

  const memory = await readFile(join(terminal.home, 'state/faultline/terminal.json'), 'utf8');
  expect(JSON.parse(memory)).toMatchObject({ views: [{ name: 'trees', query: 'maple' }] });

  // The next run has the tab and the view of this one.
  await terminal.run(`faultline browse --url ${collector.queryUrl}`);
  await terminal.see('6[All 19]');
  await terminal.type('v');
  await terminal.see('1  trees');
  await terminal.press('Escape');
  await terminal.seeNo('1  trees');
  await terminal.type('q');
  await terminal.expectAsBefore(0);
});
