import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import {
  EMPTY_MEMORY,
  type RememberedListState,
  type RememberedView,
  type SessionMemory,
} from '../../../tui/preferences/session-memory.js';
import { SessionMemoryFile, sessionMemoryPath } from '../../../tui/preferences/session-memory-file.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(removeTemporaryFolders);

/** A state folder, and a function that opens the memory in it. */
async function memories(text?: string | Uint8Array) {
  const env = { XDG_STATE_HOME: await temporaryFolder() };
  const path = sessionMemoryPath(env);
  if (text !== undefined) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return {
    env,
    path,
    open: (delayMs?: number) => SessionMemoryFile.open(env, delayMs),
    hasAside: () =>
      stat(`${path}.unusable`).then(
        () => true,
        () => false,
      ),
    read: async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')),
  };
}

const memory = (changes: Partial<SessionMemory>): SessionMemory => ({ ...EMPTY_MEMORY, ...changes });
const view = (name: string, query = ''): RememberedView => ({
  name,
  query,
  tab: 'open',
  sort: 'last_seen',
});
const PLACE: RememberedListState = {
  tab: 'new',
  query: 'level:error',
  sort: 'count',
  selected_issue_id: 'a-1',
};
const FULL: SessionMemory = {
  queries: ['service:api', '‮"\u001b[2J\ud800'],
  views: [view('mine', 'assigned:me'), view('__proto__')],
  places: new Map([
    ['prod', PLACE],
    ['', { tab: 'all', query: '', sort: 'last_seen' }],
    ['__proto__', PLACE],
  ]),
  time: 'local',
  mouse: false,
  preview: true,
};

async function saveAndClose(file: SessionMemoryFile, changed: SessionMemory): Promise<void> {
  file.save(changed);
  await file.close();
}

describe('the session memory', () => {
  it('is empty at first, and creates no file before the first change', async () => {
    const { open, path, hasAside } = await memories();
    const first = await open();
    expect(first.memory).toEqual(EMPTY_MEMORY);
    await first.close();
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await hasAside()).toBe(false);
  });

  it('is restored completely, from a file that only its owner can read', async () => {
    const { open, path, hasAside } = await memories();
    await saveAndClose(await open(), FULL);
    const queries = FULL.queries.map((query) => query.toWellFormed());
    expect((await open()).memory).toEqual({ ...FULL, queries });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(path))).toEqual(['terminal.json']);
    expect(await hasAside()).toBe(false);
  });

  it('is written after a delay without close, with the last of many states', async () => {
    const { open, read } = await memories();
    const file = await open(1);
    for (let count = 1; count <= 50; count += 1) file.save(memory({ queries: [`q${count}`] }));
    await waitFor('the file', async () => {
      const content = await read().catch(() => undefined);
      return typeof content === 'object' && content !== null;
    });
    expect(await read()).toMatchObject({ queries: ['q50'] });
    await file.close();
  });

  it('does nothing after it was closed, and may be closed twice', async () => {
    const { open, read } = await memories();
    const file = await open();
    await saveAndClose(file, memory({ queries: ['a'] }));
    file.save(memory({ queries: ['b'] }));
    await file.close();
    expect(await read()).toMatchObject({ queries: ['a'] });
  });

  it('is that of the terminal that saved last, if there are several', async () => {
    const { open, read, path } = await memories();
    const [one, two] = [await open(), await open()];
    await saveAndClose(one, memory({ queries: ['one'] }));
    await saveAndClose(two, memory({ views: [view('two')] }));
    expect(await read()).toMatchObject({ queries: [], views: [{ name: 'two' }] });
    expect(await readdir(dirname(path))).toEqual(['terminal.json']);
  });

  it('keeps the latest 200 queries, and none that is too long', async () => {
    const { open } = await memories();
    const queries = [...Array.from({ length: 250 }, (_, index) => `q${index}`), 'x'.repeat(2_000)];
    await saveAndClose(await open(), memory({ queries }));
    const { memory: reopened } = await open();
    expect([reopened.queries.length, reopened.queries.at(0), reopened.queries.at(-1)]).toEqual([200, 'q50', 'q249']);
  });

  it('has a bounded size, within which it can be loaded', async () => {
    const { open, path, hasAside } = await memories();
    const wide = '\u0001'.repeat(990);
    const queries = Array.from({ length: 200 }, (_, index) => `${wide}${index}`);
    const views = Array.from({ length: 100 }, (_, index) => view(`${wide}${index}`, wide));
    await saveAndClose(await open(), memory({ queries, views }));
    expect((await stat(path)).size).toBeLessThanOrEqual(8 * 1024 * 1024);
    const { memory: reopened } = await open();
    expect(reopened.queries.at(-1)).toBe(queries.at(-1));
    expect(reopened.views.at(-1)).toEqual(views.at(-1));
    expect(await hasAside()).toBe(false);
  });
});

describe('an invalid memory', () => {
  it.each([
    ['nothing', ''],
    ['a torn one', '{"queries": ["a", "b'],
    ['a list', '[]'],
    ['null', 'null'],
    ['bytes', Uint8Array.of(0xff, 0x00, 0xfe)],
    ['one that is too large', `{"queries": ["${'x'.repeat(8 * 1024 * 1024)}"]}`],
    ['one nested beyond reason', '['.repeat(200_000)],
  ])('is moved aside and replaced by an empty one: %s', async (_, text) => {
    const { open, path, read } = await memories(text);
    const file = await open();
    expect(file.memory).toEqual(EMPTY_MEMORY);
    expect(Buffer.from(text).equals(await readFile(`${path}.unusable`))).toBe(true);
    await saveAndClose(file, memory({ queries: ['new'] }));
    expect(await read()).toMatchObject({ queries: ['new'] });
  });

  it('is used as far as it is valid', async () => {
    const odd = {
      queries: ['a', 5, 'b', 'a', null],
      views: [{ name: 'v', query: '', tab: 't', sort: 's' }, { name: 'w' }, 7],
      places: { prod: { tab: 't', query: '', sort: 's', selected_issue_id: 8 }, old: null },
      time: 'noon',
      mouse: true,
    };
    const { open, hasAside } = await memories(JSON.stringify(odd));
    expect((await open()).memory).toEqual({
      queries: ['a', 'b'],
      views: [{ name: 'v', query: '', tab: 't', sort: 's' }],
      places: new Map([['prod', { tab: 't', query: '', sort: 's' }]]),
      mouse: true,
    });
    expect(await hasAside()).toBe(true);
  });

  it('keeps members of other versions', async () => {
    const { open, read, hasAside } = await memories(
      '{"queries": ["a"], "panes": {"left": [1]}, "__proto__": {"x": 1}}',
    );
    const file = await open();
    await saveAndClose(file, { ...file.memory, queries: ['a', 'b'] });
    expect(await read()).toMatchObject({ queries: ['a', 'b'], panes: { left: [1] } });
    expect(JSON.stringify(await read())).toContain('"__proto__":{"x":1}');
    expect(await hasAside()).toBe(false);
  });

  it('is moved aside if it is a folder or a device', async () => {
    const folder = await memories();
    await mkdir(folder.path, { recursive: true });
    expect((await folder.open()).memory).toEqual(EMPTY_MEMORY);
    const linked = await memories();
    await mkdir(dirname(linked.path), { recursive: true });
    await symlink('/dev/zero', linked.path);
    expect((await linked.open()).memory).toEqual(EMPTY_MEMORY);
    expect([await folder.hasAside(), await linked.hasAside()]).toEqual([true, true]);
  });

  it('does not stop the terminal if nothing can be written', async () => {
    const { env } = await memories();
    const file = `${env.XDG_STATE_HOME}/file`;
    await writeFile(file, '');
    const opened = await SessionMemoryFile.open({ XDG_STATE_HOME: file });
    await saveAndClose(opened, memory({ queries: ['a'] }));
    expect((await readFile(file, 'utf8')).length).toBe(0);
  });

  it('never throws for any JSON, and restores what it saved', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            queries: fc.jsonValue(),
            views: fc.jsonValue(),
            places: fc.jsonValue(),
            time: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        async (document) => {
          const { open } = await memories(JSON.stringify(document));
          const file = await open();
          await saveAndClose(file, { ...file.memory, queries: [...file.memory.queries, 'fresh query'] });
          const again = await open();
          expect(again.memory.queries.at(-1)).toBe('fresh query');
          expect(again.memory.views).toEqual(file.memory.views);
        },
      ),
    );
  });
});
