import { open } from 'node:fs/promises';
import fc from 'fast-check';
import type { FailureReader } from '../../../../core/contract/reader.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { EventSearchPage, EventSummary } from '../../../../generated/reader-answers.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { closeStores, storeInMemory, storeUnderTest } from '../store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;

/** All matches of a query, page by page; `meanwhile` is called between two pages. */
async function searchAll(
  reader: FailureReader,
  query: string,
  { limit = 500, meanwhile = async () => {} }: { limit?: number; meanwhile?: () => Promise<unknown> } = {},
): Promise<EventSummary[]> {
  const events: EventSummary[] = [];
  let page: EventSearchPage = await reader.searchEvents({ query, limit });
  for (let pages = 1; ; pages += 1) {
    events.push(...page.events);
    expect(page.is_complete).toBe(page.next_cursor === null);
    expect(page.scanned.events).toBeLessThanOrEqual(page.total.events);
    if (page.next_cursor === null || pages > 1000) return events;
    await meanwhile();
    page = await reader.searchEvents({ query, limit, cursor: page.next_cursor });
  }
}

const messagesOf = (events: readonly EventSummary[]) => events.map(({ message }) => message);

describe('searching events', () => {
  it('finds events of all issues, newest first, in every partition', async () => {
    const { reader, append, clock } = await storeInMemory();
    await append({ error_name: 'A', message: 'one timed out' }, { error_name: 'B', message: 'two' });
    clock.nowMs += HOUR_MS;
    await append({ error_name: 'B', message: 'three TIMED out', env: 'staging', service: 'web' });
    clock.nowMs += HOUR_MS;
    await append({ error_name: 'A', message: 'four', user_id: 'u-9' }, { error_name: 'C', message: 'five Timed Out' });
    const page = await reader.searchEvents({ query: '"timed out"' });
    expect(messagesOf(page.events)).toEqual(['five Timed Out', 'three TIMED out', 'one timed out']);
    expect(page.next_cursor).toBeNull();
    expect(page.is_complete).toBe(true);
    expect(page.total.events).toBe(5);
    expect(page.total.bytes).toBeGreaterThan(1000);
    expect(page.scanned).toEqual(page.total);
    expect(messagesOf(await searchAll(reader, ''))).toHaveLength(5);
    expect(messagesOf(await searchAll(reader, 'env:staging'))).toEqual(['three TIMED out']);
    expect(messagesOf(await searchAll(reader, 'service:api -env:staging user_id:u-9'))).toEqual(['four']);
    expect(messagesOf(await searchAll(reader, 'received_at:<90m'))).toEqual([
      'five Timed Out',
      'four',
      'three TIMED out',
    ]);
    expect(messagesOf(await searchAll(reader, 'received_at:>90m count:2 timed'))).toEqual(['one timed out']);
    expect(messagesOf(await searchAll(reader, 'message:nowhere'))).toEqual([]);
  });

  it('resumes where a page ended, whatever arrives meanwhile', async () => {
    const { reader, append } = await storeInMemory();
    for (let commit = 0; commit < 5; commit += 1) {
      await append(
        ...Array.from({ length: 4 }, (_, at) => ({ message: `old ${commit}-${at}`, service: `s${at % 2}` })),
      );
    }
    let late = 0;
    const meanwhile = () => append({ message: `old late-${late++}` });
    const found = messagesOf(await searchAll(reader, 'old', { limit: 3, meanwhile }));
    expect(found).toHaveLength(20);
    expect(new Set(found).size).toBe(20);
    expect(found[0]).toMatch(/^old 4-/);
    expect(found.at(-1)).toMatch(/^old 0-/);
    expect(late).toBe(6);
  });

  it('finds text that lines contain with escapes, in any case and in any field', async () => {
    const { reader, append } = await storeInMemory();
    await append({
      message: 'say "HELLO" to C:\\temp\n\u001b[31mred',
      route: '/a/b/c',
      tags: { 'Région du Nord': 'ÉTÉ' },
      extra: { deep: { list: ['漢字', 1, true], big: 5e20 } },
      stack: 'Error\n    at pay (/srv/checkout.js:7:1)',
      user_id: null,
    });
    await append({ message: 'nothing of it', route: '/', tags: {}, extra: null, stack: null });
    for (const query of [
      '"\\"hello\\""',
      'message:~"c:\\\\TEMP"',
      'red',
      '/A/B',
      'tags."région du nord":*',
      'tags."Région du Nord":été',
      'extra.deep.list:漢字',
      'extra.deep.list:[1, 9]',
      'extra.deep.list:true',
      'extra.deep.big:500000000000000000000',
      'stack:~CHECKOUT.js',
      '-user_id:*',
    ]) {
      const expected = query.includes('région') ? 0 : 1;
      expect([query, (await searchAll(reader, query)).length]).toEqual([query, expected]);
    }
  });

  it('returns exactly the matching events, for any query and events', async () => {
    const event = fc.record({
      message: fc.stringMatching(/^[abK\u212a"\\]{0,4}$/),
      user_id: fc.constantFrom(null, 'u-1', 'U-2'),
      service: fc.constantFrom('api', 'web'),
      env: fc.constantFrom('production', 'ünïcode env'),
      level: fc.constantFrom('error', 'info', null),
      error_name: fc.constantFrom('A', 'B', 'C'),
      status_code: fc.constantFrom(null, 404, 500),
      stack: fc.constantFrom(null, '', 'A: x'),
      method: fc.constantFrom(null, 'GET', 'get', 'P\u00fcT'),
      extra: fc.constantFrom(null, { level: 'info', status_code: 5e2 }, { stack: '"status_code":500', type: 'log' }),
    });
    const meanings: readonly (readonly [string, (event: EventSummary) => boolean])[] = [
      ['message:~ab', ({ message }) => message.toLowerCase().includes('ab')],
      ['message:~k', ({ message }) => message.toLowerCase().includes('k')],
      ['-user_id:*', ({ user_id }) => user_id === null],
      ['user_id:u-2 service:web', ({ user_id, service }) => user_id === 'U-2' && service === 'web'],
      ['env:ünïcode* OR level:error', ({ env, level }) => env !== 'production' || level === 'error'],
      ['-(message:~a level:info)', ({ message, level }) => !(message.includes('a') && level === 'info')],
      ['level:error', ({ level }) => level === 'error'],
      ['-level:info', ({ level }) => level !== 'info'],
      ['status_code:>=500', ({ status_code }) => status_code !== null && status_code >= 500],
      ['-status_code:404 service:api', ({ status_code, service }) => status_code !== 404 && service === 'api'],
      ['type:log', ({ type }) => type === 'log'],
      ['-type:log user_id:u-1', ({ type, user_id }) => type === 'exception' && user_id === 'u-1'],
      ['method:GET', ({ method }) => method?.toUpperCase() === 'GET'],
      ['count:>100', () => false],
      ['title:a* OR message:~"\\""', ({ error_name, message }) => error_name === 'A' || message.includes('"')],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(event, { minLength: 1, maxLength: 40 }), { maxLength: 6 }),
        async (commits) => {
          const { reader, append, clock } = await storeInMemory();
          for (const changes of commits) {
            await append(...(changes as Partial<RawPayload>[]));
            clock.nowMs += HOUR_MS / 2;
          }
          const all = await searchAll(reader, '', { limit: 7 });
          expect(all).toHaveLength(commits.flat().length);
          for (const [query, isMeant] of meanings) {
            expect([query, await searchAll(reader, query, { limit: 9 })]).toEqual([query, all.filter(isMeant)]);
          }
          await closeStores();
        },
      ),
      // A run takes 80 ms.
      { numRuns: 8 },
    );
  });

  it('finds exactly what parsing every event finds, for any combination of terms', async () => {
    const { reader, append, clock } = await storeInMemory();
    const texts = [
      'say "HELLO"',
      'Disk\u212aFull',
      'C:\\temp\\x',
      '\u6f22\u5b57 failed',
      'order 17 of <n>',
      '\u0130ndex',
      '',
    ];
    for (let commit = 0; commit < 5; commit += 1) {
      await append(
        ...Array.from({ length: 150 }, (_, at) => ({
          message: `${texts[(commit + at) % texts.length]} ${at}`,
          error_name: at % 5 === 0 ? 'Timeout of disk' : '',
          route: `/a/${at % 7}`,
          env: at % 3 === 0 ? '\u00fcn\u00efcode env' : 'production',
          service: `s${at % 4}`,
          user_id: at % 11 === 0 ? null : `u-${at % 11}`,
          status_code: [null, 404, 500][at % 3] ?? null,
          tags: { region: texts[at % texts.length] ?? '' },
          extra: { deep: { list: [at, `n${at}`] } },
        })),
      );
      clock.nowMs += HOUR_MS / 2;
    }
    const term = fc.constantFrom(
      ...['hello', 'HELLO', '"say \\"hello\\""', 'diskk', 'disk', '\u6f22', 'index', '"order 1"', 'message:~full'],
      ...['tags.region:*TEMP*', 'extra.deep.list:n17', 'extra.deep.list:17', 'route:/A/3', 'user_id:u-7', '-user_id:*'],
      ...['env:production', 'env:~\u00fcn', 'service:[s1, s2]', 'status_code:>404', 'count:>80', 'received_at:>40m'],
    );
    const joined = (word: string) => (parts: readonly string[]) => `(${parts.join(word)})`;
    const { query } = fc.letrec<{ query: string }>((tie) => ({
      query: fc.oneof(
        { maxDepth: 3 },
        term,
        fc.array(tie('query'), { minLength: 2, maxLength: 3 }).map(joined(' ')),
        fc.array(tie('query'), { minLength: 2, maxLength: 3 }).map(joined(' OR ')),
        tie('query').map((inner) => `NOT ${inner}`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(query, async (query) => {
        // Neither the index nor any text decides this.
        const parsed = await searchAll(reader, `NOT NOT (${query} OR message:"none has this")`);
        expect([query, messagesOf(await searchAll(reader, query))]).toEqual([query, messagesOf(parsed)]);
      }),
      { numRuns: 60 },
    );
  });

  it('finds text in files of many segments as it does line by line, in any spelling', async () => {
    const { reader, append, clock } = await storeInMemory();
    const odd = [
      'Kelvin \u212aelper',
      'D\u0130L',
      'lone \ud800 surrogate',
      'NEEDLE',
      'say "needle"\nhay',
      '漢字',
      `${'n'.repeat(90)}eedle`,
    ];
    let serial = 0;
    for (let commit = 0; commit < 6; commit += 1) {
      const spelled = commit % 4 === 1 ? JSON.stringify({ text: odd[commit % odd.length] }) : '';
      const events = Array.from({ length: 520 }, (_, at) => ({
        error_name: 'Same',
        message: at === 300 || at === 519 ? (odd[(commit + at) % odd.length] ?? '') : `m${serial++} ${spelled}`,
        service: `s${at % 3}`,
        tags: at === 7 ? { mark: `in commit ${commit}` } : {},
      }));
      await append(...events);
      clock.nowMs += HOUR_MS / 3;
    }
    const all = await searchAll(reader, '');
    expect(all).toHaveLength(6 * 520);
    const texts = [
      'needle',
      'kelper',
      'KELVIN',
      'dil',
      'di\u0307l',
      '漢字',
      'surrogate',
      'm2000',
      'nneedle',
      'absent',
      'e',
    ];
    for (const text of texts) {
      const expected = all.filter(({ message }) => message.toLowerCase().includes(text.toLowerCase()));
      for (const limit of [500, 3]) {
        if (limit === 3 && expected.length > 60) continue;
        const found = await searchAll(reader, `message:~"${text}"`, { limit });
        expect([text, limit, messagesOf(found)]).toEqual([text, limit, messagesOf(expected)]);
      }
      expect((await searchAll(reader, `"${text}"`)).length).toBeGreaterThanOrEqual(expected.length);
    }
    expect(await searchAll(reader, 'tags.mark:"in commit 3"')).toHaveLength(1);
    const page = await reader.searchEvents({ query: 'absent message:~gone' });
    expect(page.scanned.events).toBeLessThanOrEqual(page.total.events);
  });

  it('scans many segments', async () => {
    const { reader, append } = await storeInMemory();
    for (let commit = 0; commit < 12; commit += 1) {
      await append(...Array.from({ length: 300 }, (_, at) => ({ message: `m${commit}-${at}`, service: `s${at % 5}` })));
    }
    expect(messagesOf(await searchAll(reader, 'message:*-299'))).toEqual(
      Array.from({ length: 12 }, (_, at) => `m${11 - at}-299`),
    );
    const services = await searchAll(reader, 'service:s3 message:m7-*', { limit: 50 });
    expect(services).toHaveLength(60);
    const ids = (await searchAll(reader, '')).map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(3600);
    // Ids begin with the receipt; events of one commit are in order of partitions.
    const times = ids.map((id) => id.slice(0, 18));
    expect([...times].sort().reverse()).toEqual(times);
  });

  it('leaves out a line that cannot be read, and reports it', async () => {
    const { reader, append, faults } = await storeUnderTest();
    const [broken] = await append({ message: 'left out' }, { message: 'left in' });
    const file = await open(broken?.raw.path ?? '', 'r+');
    await file.write('left', 0);
    await file.close();
    expect(messagesOf(await searchAll(reader, 'left'))).toEqual(['left in']);
    expect(messagesOf(await searchAll(reader, 'left'))).toEqual(['left in']);
    expect(faults.map((fault) => fault.message)).toEqual([expect.stringContaining('line 0')]);
  });

  it('rejects invalid queries and cursors', async () => {
    const { reader, append } = await storeInMemory();
    await append({}, {}, {});
    const { next_cursor: cursor } = await reader.searchEvents({ query: 'level:error', limit: 1 });
    await expect(reader.searchEvents({ query: 'levl:error' })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      column: 1,
    });
    await expect(reader.searchEvents({ cursor: 'x' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(reader.searchEvents({ query: 'level:info', cursor: cursor ?? '' })).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    });
    expect((await reader.searchEvents({ query: 'level:error', cursor: cursor ?? '' })).events).toHaveLength(2);
  });

  it('returns an empty page for an empty store', async () => {
    const { reader } = await storeInMemory();
    expect(await reader.searchEvents({ query: 'a' })).toEqual({
      events: [],
      next_cursor: null,
      scanned: { events: 0, bytes: 0 },
      total: { events: 0, bytes: 0 },
      is_complete: true,
    });
  });
});

describe('the events of merged issues', () => {
  it('are one list, by arrival, page by page', async () => {
    const { reader, store, append } = await storeInMemory();
    const ids = new Map<string, string>();
    for (let commit = 0; commit < 6; commit += 1) {
      const name = 'ABC'.charAt(commit % 3);
      const [stored] = await append({ error_name: name, message: `${name}${commit}` });
      if (stored !== undefined) ids.set(name, stored.issue_id);
    }
    // Other issues fill segments in between.
    for (let commit = 0; commit < 4; commit += 1) {
      await append(...Array.from({ length: 400 }, (_, at) => ({ error_name: `X${at}` })));
    }
    await append({ error_name: 'C', message: 'C last' });
    const [a, b, c] = ['A', 'B', 'C'].map((name) => ids.get(name) as never);
    if (a === undefined || b === undefined || c === undefined) throw new Error('nothing was stored');
    await store.act(a, { action: 'merge', issues: [b, c] });
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await reader.listEvents(a, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...messagesOf(page?.events ?? []));
      cursor = page?.next_cursor ?? null;
    }
    expect(found).toEqual(['C last', 'C5', 'B4', 'A3', 'C2', 'B1', 'A0']);
    const one = await reader.listEvents(b, { query: 'message:B*' });
    expect(messagesOf(one?.events ?? [])).toEqual(['B4', 'B1']);
    const grouped = await searchAll(reader, `issue_id:${a}`);
    expect(messagesOf(grouped)).toEqual(found);
    expect(new Set(grouped.map(({ issue_id }) => issue_id))).toEqual(new Set([a]));
    const ofB = grouped.find(({ message }) => message === 'B1');
    const detail = ofB && (await reader.getEvent(ofB.event_id));
    expect(detail?.issue_id).toBe(a);
    expect(detail?.normalized.fingerprint).not.toBe(
      (await reader.getEvent(grouped[0]?.event_id as never))?.normalized.fingerprint,
    );
    expect(messagesOf(await searchAll(reader, 'count:7 message:*1', { limit: 1 }))).toEqual(['B1']);
    expect(messagesOf(await searchAll(reader, `issue_id:${b}`))).toEqual([]);
    expect(messagesOf(await searchAll(reader, 'is:merged', { limit: 2 }))).toEqual(found);
    const listed = await reader.listIssues({ query: 'is:merged' });
    expect(listed.issues.map(({ issue_id, count }) => [issue_id, count])).toEqual([[a, 7]]);
    expect((await reader.listIssues({ query: 'count:7' })).total).toBe(1);
    expect((await reader.listIssues({ query: 'error_name:[A, B, C]' })).total).toBe(1);
    await append({ error_name: 'B', message: 'B after' });
    expect((await reader.listIssues({ query: 'count:>7', sort: 'count' })).issues.map(({ count }) => count)).toEqual([
      8,
    ]);
  });
});
