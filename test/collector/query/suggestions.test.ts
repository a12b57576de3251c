import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createFolderRegrouping } from '../../../collector/commands/regroup/folder-regrouping.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { createSuggestionApplier } from '../../../collector/service/suggestion-applier.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { HttpRegrouping } from '../../../core/http-reader/http-regrouping.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import type { IssuePage, RegroupJob, Suggestions } from '../../../generated/reader-answers.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService, stopServices } from '../running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

const THEMES = ['Dark', 'light', 'Ocean', 'HighContrast', 'sepia', 'mono', 'Dusk'];
const OTHERS = ['the cart is empty', 'no stock left in Basel', 'the session has ended'];

function logged(message: string, changes: Partial<RawPayload> = {}): RawPayload {
  return serverPayload({ timestamp: null, error_name: 'Log', stack: null, tags: {}, extra: null, message, ...changes });
}

function themed(name: string): RawPayload {
  return logged(`cannot draw the start page in theme ${name}`);
}

async function send({ eventsUrl }: RunningService, ...payloads: RawPayload[]): Promise<void> {
  const { status, body } = await post(eventsUrl, JSON.stringify(payloads));
  expect([status, body.accepted]).toEqual([200, payloads.length]);
}

async function shop(directory: string, ...sets: string[]): Promise<RunningService> {
  return await startService(settingsFor(directory, ...sets));
}

async function filled(): Promise<{ directory: string; service: RunningService }> {
  const directory = await temporaryFolder();
  const service = await shop(directory);
  await send(service, ...THEMES.map(themed), ...OTHERS.map((message) => logged(message)));
  return { directory, service };
}

async function suggestions({ apiUrl }: RunningService, query = ''): Promise<Suggestions> {
  return (await (await fetch(`${apiUrl}/suggestions${query}`)).json()) as Suggestions;
}

/** Titles with their numbers of events. */
async function issues({ apiUrl }: RunningService): Promise<Record<string, number>> {
  const { issues: found } = (await (await fetch(`${apiUrl}/issues?limit=500`)).json()) as IssuePage;
  return Object.fromEntries(found.map(({ title, count }) => [title, count]).sort());
}

function decide({ apiUrl }: RunningService, id: string, decision: string, body: object = {}) {
  return post(`${apiUrl}/suggestions/${id}/${decision}`, JSON.stringify(body));
}

/** Decides and waits for the regrouping. */
async function regrouped(service: RunningService, id: string, decision: string, body?: object): Promise<RegroupJob> {
  expect(await decide(service, id, decision, body)).toMatchObject({ status: 202, body: { state: 'running' } });
  return await waitFor('the regrouping to end', async () => {
    const job = (await (await fetch(`${service.apiUrl}/regroup`)).json()) as RegroupJob;
    return job.state !== 'running' && job;
  });
}

async function onlySuggestion(service: RunningService) {
  const { suggestions: found } = await suggestions(service);
  expect(found).toHaveLength(1);
  return found[0] as Suggestions['suggestions'][number];
}

describe('GET /suggestions', () => {
  it('lists issues that differ in one word, with the rule that joins them', async () => {
    const { service } = await filled();
    const found = await onlySuggestion(service);
    expect(found).toMatchObject({
      app: 'shop',
      service: 'api',
      pattern: 'cannot draw the start page in theme *',
      varies: 'the word after `theme`',
      values_total: THEMES.length,
      issues_total: THEMES.length,
      events_total: THEMES.length,
    });
    expect(found.id).toMatch(/^[0-9a-f]{16}$/);
    expect(found.issue_ids).toHaveLength(THEMES.length);
    expect(THEMES).toEqual(expect.arrayContaining(found.values));
    expect((await suggestions(service, '?service=api')).suggestions).toEqual([found]);
    expect((await suggestions(service, '?service=web')).suggestions).toEqual([]);
  });
});

describe('a decision', () => {
  it('to accept makes one issue of old and new events, also after a restart, and undo restores the issues', async () => {
    const { directory, service } = await filled();
    const before = await issues(service);
    const { id, rule } = await onlySuggestion(service);
    expect(await regrouped(service, id, 'accept', { by: 'anna' })).toMatchObject({
      state: 'done',
      result: { issues_before: 10, issues_after: 4 },
    });
    await send(service, themed('forest'));
    expect(Object.values(await issues(service)).sort()).toEqual([1, 1, 1, 8]);
    expect(await suggestions(service)).toMatchObject({
      suggestions: [],
      decided: [{ id, state: 'accepted', by: 'anna', rule, values_total: THEMES.length }],
    });

    await stopServices();
    const again = await shop(directory, 'grouping.patterns_off=[email]');
    await send(again, themed('desert'));
    expect(Object.values(await issues(again)).sort()).toEqual([1, 1, 1, 9]);

    expect(await regrouped(again, id, 'undo')).toMatchObject({ state: 'done' });
    const one = (name: string) => [`cannot draw the start page in theme ${name}`, 1];
    expect(await issues(again)).toEqual({ ...before, ...Object.fromEntries([one('forest'), one('desert')]) });
    await send(again, themed('desert'));
    expect((await issues(again))['cannot draw the start page in theme desert']).toBe(2);
    expect(await suggestions(again)).toMatchObject({
      suggestions: [],
      decided: [{ id, state: 'dismissed', by: null }],
    });
    expect(await decide(again, id, 'undo')).toMatchObject({ status: 200 });
    expect(await suggestions(again)).toMatchObject({ suggestions: [{ id }], decided: [] });
  });

  it('to dismiss is remembered over a restart until it is undone', async () => {
    const { directory, service } = await filled();
    const { id } = await onlySuggestion(service);
    const dismissed = await decide(service, id, 'dismiss', { by: 'ben' });
    expect(dismissed).toMatchObject({ status: 200, body: { id, state: 'dismissed', by: 'ben' } });
    await stopServices();
    const again = await shop(directory);
    expect(await suggestions(again)).toMatchObject({ suggestions: [], decided: [{ id, by: 'ben' }] });
    expect(await decide(again, id, 'undo')).toMatchObject({ status: 200 });
    expect((await onlySuggestion(again)).id).toBe(id);
  });

  it('is not lost when several are made at once', async () => {
    const { service } = await filled();
    const plugins = ['geoip', 'auth_ldap', 'pdfgen', 'mailer', 'indexer'];
    await send(service, ...plugins.map((name) => logged(`cannot load plugin ${name} for this session`)));
    const { suggestions: open } = await suggestions(service);
    expect(open).toHaveLength(2);
    await Promise.all(open.map(({ id }) => decide(service, id, 'dismiss')));
    expect(await suggestions(service)).toMatchObject({ suggestions: [], decided: [{}, {}] });
  });

  it('is refused for an unknown id, a decision that was not made, and an invalid body', async () => {
    const { service } = await filled();
    const { id } = await onlySuggestion(service);
    const unknown = { status: 404, body: { code: 'SUGGESTION_NOT_FOUND' } };
    for (const decision of ['accept', 'dismiss', 'undo']) {
      expect(await decide(service, '0123456789abcdef', decision)).toMatchObject(unknown);
    }
    expect(await decide(service, id, 'undo')).toMatchObject(unknown);
    const invalid = { status: 422, body: { code: 'ACTION_INVALID', field: '/by' } };
    expect(await decide(service, id, 'accept', { by: 7 })).toMatchObject(invalid);
    expect(await decide(service, id, 'accept', { by: 'x'.repeat(201) })).toMatchObject(invalid);
    expect(await decide(service, id, 'dismiss', { who: 'anna' })).toMatchObject({
      status: 422,
      body: { field: '/who' },
    });
  });

  it('accepts all that were listed, in any order', async () => {
    const { service } = await filled();
    const plugins = ['geoip', 'auth_ldap', 'pdfgen', 'mailer', 'indexer'];
    await send(service, ...plugins.map((name) => logged(`cannot load plugin ${name} for this session`)));
    const ids = (await suggestions(service)).suggestions.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids.reverse()) expect(await regrouped(service, id, 'accept')).toMatchObject({ state: 'done' });
    expect(Object.values(await issues(service)).sort()).toEqual([1, 1, 1, 5, 7]);
  });

  it('takes wildcards, quotes, backslashes and braces of messages literally', async () => {
    const service = await shop(await temporaryFolder());
    const message = (value: string): string =>
      String.raw`no "quoted" wild*card or C:\dir\x {{ message }} for owner ${value} today`;
    await send(service, ...THEMES.map((name) => logged(message(name))));
    const near = message('Dark').replace('*', 'er');
    const { id } = await onlySuggestion(service);
    await send(service, logged(near), logged(message('two words')));
    expect(await regrouped(service, id, 'accept')).toMatchObject({ state: 'done' });
    expect(Object.values(await issues(service)).sort()).toEqual([1, 1, THEMES.length]);
  });
});

describe('a decision through the interface of commands', () => {
  const silent = { defaultUrl: 'http://localhost:4319', onFault: () => undefined, onOpening: () => undefined };

  it('works over a folder without a collector', async () => {
    const { directory, service } = await filled();
    const before = await issues(service);
    await stopServices();
    const regrouping = createFolderRegrouping({ directory, ...silent });
    const listed = async (): Promise<Suggestions & { total: number }> => {
      const reader = await openFolderReader({ directory });
      const { total } = await reader.listIssues();
      const found = await reader.suggestions({ service: 'api' });
      await reader.close();
      return { ...found, total };
    };
    const open = await listed();
    const id = open.suggestions[0]?.id ?? '';
    expect(await regrouping.decide(id, 'accept', { by: 'anna' })).toMatchObject({ issues_after: 4 });
    expect(await listed()).toMatchObject({ suggestions: [], decided: [{ id, by: 'anna' }], total: 4 });
    expect(await regrouping.decide(id, 'undo')).toMatchObject({ issues_after: 10 });
    expect(await regrouping.decide(id, 'undo')).toBeNull();
    expect(await listed()).toEqual(open);
    await expect(regrouping.decide('none', 'accept')).rejects.toMatchObject({ code: 'SUGGESTION_NOT_FOUND' });
    expect(await issues(await shop(directory))).toEqual(before);
  });

  it('works over HTTP', async () => {
    const { service } = await filled();
    const token = { value: undefined, reload: async () => undefined };
    const url = new URL(service.apiUrl).origin;
    const regrouping = new HttpRegrouping(url, token);
    const reader = createHttpReader({ url });
    const id = (await reader.suggestions({ service: 'api' })).suggestions[0]?.id ?? '';
    expect(await regrouping.decide(id, 'dismiss', { by: 'anna' })).toBeNull();
    expect(await regrouping.decide(id, 'accept')).toMatchObject({ issues_before: 10, issues_after: 4 });
    expect((await reader.suggestions()).decided).toMatchObject([{ id, state: 'accepted', by: null }]);
    await expect(regrouping.decide('a/b', 'accept')).rejects.toMatchObject({ code: 'SUGGESTION_NOT_FOUND' });
    await Promise.all([reader.close(), regrouping.close()]);
  });
});

describe('with grouping.suggestions: apply', () => {
  it('all are accepted when issues are new, and never again after undo', async () => {
    const { directory, service } = await filled();
    await send(
      service,
      ...['geoip', 'auth_ldap', 'pdfgen', 'mailer', 'indexer'].map((name) =>
        logged(`cannot load plugin ${name} for this session`),
      ),
    );
    await stopServices();
    const store = await openEventStore({ directory });
    const regroupings = new RegroupJobs({ store: () => store, logger: pino({ level: 'silent' }) });
    let look = (): void => undefined;
    const applier = createSuggestionApplier(regroupings, pino({ level: 'silent' }), (_, work) => {
      look = work;
      return () => undefined;
    });
    await applier.start();
    const ended = (id: string | null) =>
      waitFor(
        'a regrouping to end',
        async () => regroupings.last.state === 'done' && regroupings.last.id !== id && regroupings.last,
      );
    look();
    const { id: first } = await ended(null);
    const { suggestions: open, decided } = await store.reader.suggestions();
    expect(open).toEqual([]);
    expect(decided.map(({ state, by }) => [state, by])).toEqual([
      ['accepted', 'automatic'],
      ['accepted', 'automatic'],
    ]);
    expect((await store.reader.listIssues()).total).toBe(5);
    await regroupings.decide(decided[0]?.id ?? '', 'undo', 'anna');
    const { id: second } = await ended(first);
    await regroupings.acceptAll('automatic');
    await regroupings.acceptAll('automatic');
    expect(regroupings.last.id).toBe(second);
    expect((await store.reader.suggestions()).decided.map(({ state }) => state).sort()).toEqual([
      'accepted',
      'dismissed',
    ]);
    await applier.shutdown();
    await store.close();
    await shop(directory, 'grouping.suggestions=apply');
  });

  it('an acceptance that is cancelled changes nothing', async () => {
    const { directory, service } = await filled();
    const before = await issues(service);
    await stopServices();
    const store = await openEventStore({ directory });
    const { id = '' } = (await store.reader.suggestions()).suggestions[0] ?? {};
    const planned = await store.decisions.plan(id, 'accept', null);
    if (typeof planned !== 'function') throw new Error('not planned');
    await expect(planned({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    expect(await store.reader.suggestions()).toMatchObject({ suggestions: [{ id }], decided: [] });
    expect(store.grouper.settings.rules).toEqual([]);
    await store.close();
    expect(await issues(await shop(directory))).toEqual(before);
  });
});

describe('suggestions.json', () => {
  it('is set aside if it is damaged, and the collector starts and reports it', async () => {
    const { directory, service } = await filled();
    await decide(service, (await onlySuggestion(service)).id, 'dismiss');
    await stopServices();
    const path = join(directory, 'suggestions.json');
    await writeFile(path, '{"decided": [{}]}');
    const again = await shop(directory);
    expect(again.logged).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ code: 'SUGGESTIONS_UNUSABLE' }) }),
    );
    expect((await suggestions(again)).suggestions).toHaveLength(1);
    expect(await readFile(`${path}.unusable-1`, 'utf8')).toBe('{"decided": [{}]}');
    await stopServices();
    const found: string[] = [];
    await verifyFolder({ directory, onFinding: ({ code, file }) => found.push(`${code} ${file}`) });
    expect(found).toEqual(['INDEX_SET_ASIDE suggestions.json.unusable-1']);
  });
});
