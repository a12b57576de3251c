import fc from 'fast-check';
import type { IssueSummary } from '../../../../generated/reader-answers.js';
import { closeStores, storeInMemory } from '../store-under-test.js';

afterEach(closeStores);

const LEVELS = ['error', 'warning', 'info'];
const ENVS = ['production', 'staging', 'test'];
const WORDS = ['alpha', 'beta', 'Gamma'];

/** The queries under test, as predicates on a summary. */
const MEANINGS: readonly (readonly [string, (issue: IssueSummary) => boolean])[] = [
  ['', () => true],
  ['level:warning', (issue) => issue.level === 'warning'],
  ['-level:error env:STAGING', (issue) => issue.level !== 'error' && issue.environments.includes('staging')],
  ['environment:test OR release:v2', (issue) => issue.environments.includes('test') || issue.releases.includes('v2')],
  ['status:resolved', (issue) => issue.status === 'resolved'],
  ['gamma', (issue) => issue.message.includes('Gamma')],
  ['message:*beta*7*', (issue) => /beta.*7/.test(issue.message)],
  ['title:e1*', (issue) => issue.title.startsWith('E1')],
  ['count:>2', (issue) => issue.count > 2],
  ['count:2..4 -is:resolved', (issue) => issue.count >= 2 && issue.count <= 4 && issue.status !== 'resolved'],
  ['is:regressed OR release:>=v2', (issue) => issue.regressed || issue.releases.includes('v2')],
  ['is:new first_seen:<1d', (issue) => issue.is_new],
  ['last_seen:>1d', () => false],
  ['level:[info, warning] culprit:*', ({ level, culprit }) => level !== 'error' && culprit !== null],
  ['al*ha level:info', (issue) => /al.*ha/.test(issue.message) && issue.level === 'info'],
];

/** Events of one commit: number of the issue, then other fields. */
const commit = fc.array(
  fc.record({
    issue: fc.nat(400),
    level: fc.constantFrom(...LEVELS),
    env: fc.constantFrom(...ENVS),
    word: fc.constantFrom(...WORDS),
    release: fc.constantFrom('v1', 'v2', null),
  }),
  { minLength: 1, maxLength: 120 },
);

describe('searching issues', () => {
  it('finds the current issues after every commit and action, in every order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
        const { reader, store, append } = await storeInMemory();
        for (const events of commits) {
          const stored = await append(
            ...events.map(({ issue, word, ...rest }) => ({
              ...rest,
              error_name: `E${issue}`,
              message: `${word} ${issue}`,
            })),
          );
          const [first] = stored;
          if (first === undefined) throw new Error('nothing was stored');
          await store.act(first.issue_id, { action: 'resolve' });
          for (const sort of ['last_seen', 'first_seen', 'count'] as const) {
            const all = await reader.listIssues({ sort, limit: 500 });
            for (const [query, isMeant] of MEANINGS) {
              const found = await reader.listIssues({ query, sort, limit: 500 });
              expect(found.issues).toEqual(all.issues.filter(isMeant));
              expect(found.total).toBe(found.issues.length);
            }
          }
        }
        await closeStores();
      }),
      // A run takes 100 ms.
      { numRuns: 8 },
    );
  });

  it('copies all issues again when more segments arrived than it follows', async () => {
    const { reader, append } = await storeInMemory();
    await append({ error_name: 'First', level: 'info' });
    expect((await reader.listIssues({ query: 'level:info' })).total).toBe(1);
    for (let round = 0; round < 70; round += 1) {
      await append(...Array.from({ length: 512 }, (_, index) => ({ error_name: `E${index % 300}` })));
    }
    await append({ error_name: 'First', level: 'critical' }, { error_name: 'Last', level: 'critical' });
    expect((await reader.listIssues({ query: 'level:info' })).total).toBe(0);
    const critical = await reader.listIssues({ query: 'level:critical', sort: 'first_seen' });
    expect(critical.issues.map((issue) => issue.error_name)).toEqual(['Last', 'First']);
    expect((await reader.listIssues({ query: 'e29*' })).total).toBe(11);
  });

  it('does not match text across two fields or two issues', async () => {
    const { reader, append } = await storeInMemory();
    await append({ error_name: 'A', message: 'one' }, { error_name: 'B', message: 'two' });
    for (const query of ['"one\0b"', 'one*b', 'one*two']) {
      expect((await reader.listIssues({ query })).total).toBe(0);
    }
    expect((await reader.listIssues({ query: 'one OR two' })).total).toBe(2);
  });

  it('runs many searches at the same time', async () => {
    const { reader, append } = await storeInMemory();
    await append(...Array.from({ length: 300 }, (_, index) => ({ error_name: `E${index}` })));
    const asked = Array.from({ length: 20 }, async (_, index) => {
      await append({ error_name: `New${index}` });
      return (await reader.listIssues({ query: `error_name:New${index}` })).total;
    });
    expect(await Promise.all(asked)).toEqual(new Array(20).fill(1));
  });
});
