import type { IssuePage, Suggestions } from '../../../generated/reader-answers.js';
import { post } from '../../collector/post.js';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverTerminals();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const THEMES = ['USD', 'CHF', 'EUR', 'GBP', 'zloty', 'SEK', 'forint'];

function failure(theme: string): string {
  const message = `unknown theme ${theme} of the card`;
  return JSON.stringify(serverPayload({ error_name: 'Error', message, stack: null, timestamp: null }));
}

async function importedFolder(): Promise<string> {
  const directory = await temporaryFolder();
  const input = THEMES.map((theme) => `${failure(theme)}\n`).join('');
  expect(await runFaultline(['import', '-', '--data', directory], { input })).toMatchObject({ code: 0 });
  return directory;
}

async function suggestionsOf(where: readonly string[]): Promise<Suggestions> {
  return JSON.parse((await runFaultline(['suggest', '--json', ...where])).stdout) as Suggestions;
}

async function countsOf(where: readonly string[]): Promise<number[]> {
  const { stdout } = await runFaultline(['issues', '--json', ...where]);
  return (JSON.parse(stdout) as IssuePage).issues.map(({ count }) => count);
}

const ONE_EACH = THEMES.map(() => 1);

describe('faultline suggest', () => {
  it('lists, previews, accepts and undoes through a collector, and new events join', async () => {
    const collector = await startCollector(await importedFolder());
    const where = ['--url', collector.queryUrl];
    const listed = await runFaultline(['suggest', ...where]);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(
      /^1 suggestion\.[^\n]*\n\n[0-9a-f]{8} {5}7 issues look like one: the word after `theme` varies\.\n/,
    );
    expect(listed.stdout).not.toContain('\u001b');
    const answer: unknown = await (await fetch(`${collector.queryUrl}/api/v1/suggestions`)).json();
    expect(await suggestionsOf(where)).toEqual(answer);
    const id = (answer as Suggestions).suggestions[0]?.id.slice(0, 8) ?? '';

    const preview = await runFaultline(['suggest', '--preview', id, ...where]);
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(preview.stdout).toMatch(/\ngrouping:\n {2}rules:\n {4}- name: /);
    expect(preview.stdout).toMatch(/\n7 events: 7 issues now, 1 issue afterwards\./);
    expect(await countsOf(where)).toEqual(ONE_EACH);

    const accepted = await runFaultline(['suggest', '--accept', id, '--actor', 'anna', ...where]);
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    expect(accepted.stdout.replaceAll('\n', ' ')).toMatch(
      new RegExp(`^${id} {2}Accepted\\. Issues: 7 before, 1 now\\.`),
    );
    await post(`${collector.ingestUrl}/v1/events`, failure('peso'));
    await waitFor('the new event', async () => (await countsOf(where))[0] === 8);
    expect(await countsOf(where)).toEqual([8]);
    expect((await suggestionsOf(where)).decided).toMatchObject([{ state: 'accepted', by: 'anna' }]);

    const undone = await runFaultline(['suggest', '--undo', id, '--json', ...where]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ decision: 'undo', result: { issues_after: 8 } });
    expect(await countsOf(where)).toEqual([...ONE_EACH, 1]);
    expect(await runFaultline(['suggest', ...where])).toMatchObject({
      stdout: expect.stringMatching(/^No suggestions[\s\S]*\n {2}dismissed {2}20/),
    });
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });

  it('dismisses, undoes and accepts on a folder that no collector is using', async () => {
    const where = ['--data', await importedFolder()];
    const [suggestion] = (await suggestionsOf([...where, '--service', 'api'])).suggestions;
    const id = suggestion?.id ?? '';
    expect(await suggestionsOf([...where, '--service', 'other'])).toMatchObject({ suggestions: [] });
    const dismissed = await runFaultline(['suggest', '--dismiss', id, ...where]);
    expect(dismissed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ Dismissed\.\n$/) });
    expect(await suggestionsOf(where)).toMatchObject({ suggestions: [], decided: [{ id, state: 'dismissed' }] });
    expect(await runFaultline(['suggest', '--undo', id, ...where])).toMatchObject({ code: 0 });
    expect(await suggestionsOf(where)).toMatchObject({ suggestions: [{ id }], decided: [] });
    expect(await runFaultline(['suggest', '--accept', id, ...where])).toMatchObject({ code: 0 });
    expect(await countsOf(where)).toEqual([7]);
  });

  it('accepts several in any order', async () => {
    const directory = await temporaryFolder();
    const regions = ['north', 'Lyon', 'Basel', 'Zug', 'Chur', 'Sion'].map(
      (name) => `no colours for theme Dark in ${name}`,
    );
    const themes = ['light', 'Ocean', 'sepia', 'mono'].map((name) => `no colours for theme ${name} in north`);
    const messages = [...THEMES.map((name) => `unknown theme ${name} of the card`), ...regions, ...themes];
    const events = messages.map((message) =>
      serverPayload({ error_name: 'Error', message, stack: null, timestamp: null }),
    );
    const input = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    expect(await runFaultline(['import', '-', '--data', directory], { input })).toMatchObject({ code: 0 });
    const where = ['--data', directory];
    const ids = (await suggestionsOf(where)).suggestions.map(({ id }) => id);
    expect(ids).toHaveLength(2);

    const accepted = await runFaultline(['suggest', '--accept', ...ids.toReversed(), ...where]);
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    expect(accepted.stdout.match(/Accepted\./g)).toHaveLength(2);
    expect(await countsOf(where)).toEqual([7, 6, 1, 1, 1, 1]);
    expect(await suggestionsOf(where)).toMatchObject({ suggestions: [] });
  });

  it('exits with 2 for contradicting options, and with 1 for an unknown id or source', async () => {
    const where = ['--data', await importedFolder()];
    const cases: [string[], number, RegExp][] = [
      [['--accept', 'a', '--dismiss', 'b', ...where], 2, /cannot be combined/],
      [['--url', 'http://localhost:1', ...where], 2, /cannot be combined/],
      [['--accept', ...where], 2, /--accept needs a value/],
      [['--accept', 'ffffffff', ...where], 1, /ffffffff/],
      [['--preview', 'f', ...where], 1, /first 8 characters/],
      [['--url', 'http://localhost:1'], 1, /No collector at/],
    ];
    for (const [args, code, words] of cases) {
      const done = await runFaultline(['suggest', ...args]);
      expect({ args, code: done.code, stdout: done.stdout }).toEqual({ args, code, stdout: '' });
      expect(done.stderr).toMatch(words);
    }
  });

  it('is accepted and undone in the terminal', async () => {
    const collector = await startCollector(await importedFolder());
    const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
    await terminal.see('Open 7');
    terminal.type(':sugg\r');
    await terminal.see('7 issues look like one');
    terminal.type('\r');
    await terminal.see('a accept');
    terminal.type('a');
    await terminal.see('y yes');
    terminal.type('y');
    await terminal.see('Open 1');
    terminal.type(':sugg\r');
    await terminal.see('accepted');
    terminal.type('\r');
    await terminal.see('u undo');
    terminal.type('uy');
    await terminal.see('Open 7');
    terminal.type('q');
    expect(await terminal.exit).toMatchObject({ exitCode: 0 });
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });
});
