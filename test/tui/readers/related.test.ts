import type { IssueId } from '../../../core/event/ids.js';
import { findRelatedEvents } from '../../../tui/readers/related-events.js';
import { findRelatedIssues } from '../../../tui/readers/related-issues.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../../core/storage/store-under-test.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

async function relatedTo({ reader }: StoreUnderTest, issueId: IssueId | undefined) {
  return await findRelatedIssues(reader, (await reader.getIssue(issueId ?? missing())) ?? missing());
}

async function relatedToEvent({ reader }: StoreUnderTest, eventId: Parameters<typeof reader.getEvent>[0] | undefined) {
  const related = await findRelatedEvents(reader, (await reader.getEvent(eventId ?? missing())) ?? missing());
  return Object.fromEntries(
    related.map(({ name, ids, events }) => [name, ids.length === 0 ? null : events.map((one) => one.event_id)]),
  );
}

const ALONE = { request_id: null, session_id: null, user_id: null };

describe('what is related', () => {
  it('is an event of the same request in another service, from both sides', async () => {
    const store = await storeUnderTest();
    const [one, other] = await store.append(
      { ...ALONE, service: 'payments', error_name: 'PoolError', request_id: 'Req-1' },
      { ...ALONE, service: 'ledger', error_name: 'UpstreamError', request_id: 'Req-1' },
      { ...ALONE, service: 'ledger', error_name: 'UpstreamError', request_id: 'req-1' },
    );
    const none = { trace: null, session: null, user: null };
    expect(await relatedToEvent(store, one?.event_id)).toEqual({ request: [other?.event_id], ...none });
    expect(await relatedToEvent(store, other?.event_id)).toEqual({ request: [one?.event_id], ...none });
    for (const [from, to] of [
      [one, other],
      [other, one],
    ]) {
      const { groups, isComplete, hasLinks } = await relatedTo(store, from?.issue_id);
      expect(groups[0]?.issues).toMatchObject([{ issue_id: to?.issue_id, together: 1 }]);
      expect([isComplete, hasLinks]).toEqual([true, true]);
    }
  });

  it('is each event once, by request, trace, session and user, oldest first', async () => {
    const store = await storeUnderTest();
    const ids = { request_id: 'r', session_id: 's', user_id: 'u', tags: { trace_id: 't' } };
    const at = (minute: number) => ({ timestamp: `2026-11-21T09:${minute}:00Z` });
    const events = await store.append(
      { ...ids, ...at(30) },
      { ...ids, ...at(32) },
      { ...ids, ...at(31) },
      { ...ALONE, ...at(30), tags: { trace_id: 't' } },
      { ...ALONE, ...at(30), session_id: 's' },
      { ...ALONE, ...at(39), user_id: 'u' },
      { ...ALONE, ...at(41), user_id: 'u' },
    );
    const [first, late, early, traced, inSession, ofUser] = events.map(({ event_id }) => event_id);
    expect(await relatedToEvent(store, first)).toEqual({
      request: [early, late],
      trace: [traced],
      session: [inSession],
      user: [ofUser],
    });
  });

  it('counts of how many newest events an issue shares a request, most first', async () => {
    const store = await storeUnderTest();
    const requests = Array.from({ length: 30 }, (_, index) => ({ ...ALONE, request_id: `req-${index}` }));
    const [own] = await store.append(...requests.map((one) => ({ ...one, error_name: 'Own' })));
    await store.append(...requests.slice(0, 12).map((one) => ({ ...one, error_name: 'Seldom' })));
    await store.append(...requests.slice(5).map((one) => ({ ...one, error_name: 'Often' })), {
      ...ALONE,
      error_name: 'Never',
    });
    const { groups } = await relatedTo(store, own?.issue_id);
    expect(groups[0]?.heading).toBe('In the same requests as the 30 newest events');
    expect(groups[0]?.issues.map(({ error_name, together }) => [error_name, together])).toEqual([
      ['Often', 25],
      ['Seldom', 12],
    ]);
  });

  it('is an issue of the same fingerprint elsewhere, and one that began at that time', async () => {
    const store = await storeUnderTest();
    const [own] = await store.append({ ...ALONE, error_name: 'Own' });
    const [same] = await store.append({ ...ALONE, error_name: 'Own', service: 'worker' });
    const [began] = await store.append({ ...ALONE, error_name: 'Other' });
    store.clock.nowMs += 11 * 60_000;
    await store.append({ ...ALONE, error_name: 'Later' });
    const { groups, hasLinks } = await relatedTo(store, own?.issue_id);
    const ids = groups.map(({ issues }) => issues.map(({ issue_id }) => issue_id));
    expect(ids).toEqual([[], [same?.issue_id], [], [began?.issue_id]]);
    expect(hasLinks).toBe(false);
  });

  it('is found for ids of any length and text', async () => {
    const store = await storeUnderTest();
    const request_id = `"\\*${'x'.repeat(200)}`;
    const many = Array.from({ length: 60 }, (_, index) => ({ ...ALONE, request_id: request_id + index }));
    const [own] = await store.append(...many.map((one) => ({ ...one, error_name: 'Own' })));
    await store.append(...many.map((one) => ({ ...one, error_name: 'Other' })));
    const { groups } = await relatedTo(store, own?.issue_id);
    expect(groups[0]?.issues).toMatchObject([{ error_name: 'Other' }]);
  });
});

describe('a merged issue', () => {
  it('is found by the name and message of each member, and lists what they were', async () => {
    const { store, reader, append } = await storeUnderTest();
    const [stays] = await append({ error_name: 'PoolError', message: 'no connection' });
    const [merged] = await append({ error_name: 'CardDeclinedError', message: 'do not honour' });
    const ids = [merged?.issue_id ?? missing()];
    await store.act(stays?.issue_id ?? missing(), { action: 'merge', issues: ids });
    for (const query of [
      'PoolError',
      'connection',
      'carddeclined',
      '"not honour"',
      'card*error',
      'merged',
      '-honour',
    ]) {
      const { issues } = await reader.listIssues({ query: query === 'merged' ? 'is:merged' : query });
      expect(issues.map(({ issue_id }) => issue_id)).toEqual(query === '-honour' ? [] : [stays?.issue_id]);
    }
    const detail = await reader.getIssue(stays?.issue_id ?? missing());
    expect(detail?.members).toMatchObject([
      {
        issue_id: ids[0],
        title: 'CardDeclinedError: title',
        error_name: 'CardDeclinedError',
        message: 'do not honour',
      },
    ]);
  });
});
