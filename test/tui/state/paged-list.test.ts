import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import { appendPage, mergeHead, replaceRows, updateRows } from '../../../tui/state/list-merge.js';
import {
  EVENT_ROWS,
  emptyList,
  moveSelection,
  type PagedList,
  type RowKind,
  select,
  selectedRow,
  selectFirst,
  wantedCursor,
} from '../../../tui/state/paged-list.js';
import { sampleEvent } from '../array-reader.js';

interface Row {
  id: string;
  rank: number;
}

const KIND: RowKind<Row> = {
  idOf: ({ id }) => id,
  isSame: (before, after) => before.rank === after.rank,
};
const HEIGHT = 5;

/** Rows from rank `from` down to rank `to`. */
function ranks(from: number, to: number): Row[] {
  return Array.from({ length: from - to + 1 }, (_, index) => ({ id: `r${from - index}`, rank: from - index }));
}

const head = (rows: Row[], hasMore = false) => ({ rows, nextCursor: hasMore ? `after ${rows.at(-1)?.id}` : null });
const ids = (list: PagedList<Row>): string[] => list.rows.map(({ id }) => id);
const visible = (list: PagedList<Row>): string[] => ids(list).slice(list.top, list.top + HEIGHT);
const listOf = (rows: Row[], hasMore = false) => mergeHead(emptyList(KIND), head(rows, hasMore), HEIGHT);

describe('a list that grows at its top', () => {
  it('selects its first row when it is first read', () => {
    expect(selectedRow(listOf(ranks(3, 1)))?.id).toBe('r3');
    expect(selectedRow(listOf([]))).toBeUndefined();
  });

  it('keeps the selection on its id and inserts new rows above while there is room', () => {
    const list = mergeHead(select(listOf(ranks(3, 1)), 1, HEIGHT), head(ranks(5, 1)), HEIGHT);
    expect(list.selectedId).toBe('r2');
    expect(visible(list)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
  });

  it('keeps the selected row at its position on the screen if the window does not show the first row', () => {
    const before = select(listOf(ranks(20, 1)), 12, HEIGHT);
    const after = mergeHead(before, head(ranks(27, 1)), HEIGHT);
    expect(visible(after)).toEqual(visible(before));
    expect(after.selectedId).toBe(before.selectedId);
  });

  it('scrolls only as far as the selected row needs when new rows push it out of the window', () => {
    const list = mergeHead(listOf(ranks(3, 1)), head(ranks(13, 1)), HEIGHT);
    expect(list.selectedId).toBe('r3');
    expect(visible(list)).toContain('r3');
  });

  it('moves the selection to the neighbour of a removed row', () => {
    const before = select(listOf(ranks(9, 1)), 4, HEIGHT);
    const after = mergeHead(before, head(ranks(9, 1).filter(({ id }) => id !== 'r5')), HEIGHT);
    expect(after.selectedId).toBe('r4');
    expect(mergeHead(before, head([]), HEIGHT)).toMatchObject({ rows: [], selectedId: undefined, top: 0 });
  });

  it('removes a row that is missing in the range that was read again', () => {
    const list = listOf(ranks(9, 1), true);
    const after = mergeHead(list, head([...ranks(9, 8), ...ranks(6, 5)], true), HEIGHT);
    expect(ids(after)).toEqual(['r9', 'r8', 'r6', 'r5', 'r4', 'r3', 'r2', 'r1']);
  });

  it('is the same object if nothing changed', () => {
    const list = listOf(ranks(9, 1), true);
    expect(mergeHead(list, head(ranks(9, 5), true), HEIGHT)).toBe(list);
  });

  it('restarts if too much arrived and the user has not moved', () => {
    const after = mergeHead(listOf(ranks(9, 5), true), head(ranks(99, 95), true), HEIGHT);
    expect(ids(after)).toEqual(ids(listOf(ranks(99, 95))));
    expect(after.isBehind).toBe(false);
  });

  it('stays and reports that it is behind if too much arrived and the user has moved, until the first row is selected', () => {
    const updated = moveSelection(listOf(ranks(9, 5), true), 1, HEIGHT);
    const behind = mergeHead(updated, head(ranks(99, 95), true), HEIGHT);
    expect(behind).toMatchObject({ isBehind: true, selectedId: 'r8' });
    expect(ids(behind)).toEqual(ids(updated));
    const followed = mergeHead(selectFirst(behind, HEIGHT), head(ranks(99, 95), true), HEIGHT);
    expect(followed).toMatchObject({ isBehind: false, selectedId: 'r99', top: 0 });
  });

  it('equals the rows of the store, with the selection on its row, after any reads', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ arrive: fc.nat(8), touch: fc.nat(20), move: fc.integer({ min: -3, max: 3 }) })),
        (steps) => {
          let store = ranks(10, 1);
          let list = listOf(store.slice(0, 12));
          for (const { arrive, touch, move } of steps) {
            const top = store[0]?.rank ?? 0;
            store = [...ranks(top + arrive, top + 1), ...store];
            const risen = store[touch % store.length];
            if (risen !== undefined)
              store = [{ ...risen, rank: top + arrive + 1 }, ...store.filter((row) => row !== risen)];
            list = moveSelection(list, move, HEIGHT);
            const { selectedId } = list;
            list = mergeHead(list, head(store), HEIGHT);
            expect(list.rows).toEqual(store);
            expect(list.selectedId).toBe(selectedId);
            expect(visible(list)).toContain(selectedId);
          }
        },
      ),
    );
  });
});

describe('a list that is loaded partly', () => {
  const first = listOf(ranks(100, 91), true);

  it('loads more when the window comes near the last loaded row', () => {
    const long = listOf(ranks(100, 81), true);
    expect(wantedCursor(long, HEIGHT)).toBeUndefined();
    expect(wantedCursor(select(long, 15, HEIGHT), HEIGHT)).toBe('after r81');
    expect(wantedCursor(listOf(ranks(9, 1)), HEIGHT)).toBeUndefined();
  });

  it('adds each page once, without rows that moved up meanwhile', () => {
    const page = head([{ id: 'r95', rank: 90 }, ...ranks(90, 88)], true);
    const more = appendPage(first, 'after r91', page);
    expect(ids(more)).toEqual(ids(listOf(ranks(100, 88))));
    expect(appendPage(more, 'after r91', page)).toBe(more);
  });

  it('does not read a page forever whose cursor leads to itself', () => {
    expect(appendPage(first, 'after r91', { rows: [], nextCursor: 'after r91' }).nextCursor).toBeNull();
  });

  it('moves to the last loaded row and stays there when more is loaded', () => {
    const last = select(first, Number.POSITIVE_INFINITY, HEIGHT);
    expect(last.selectedId).toBe('r91');
    expect(appendPage(last, 'after r91', head(ranks(90, 81))).selectedId).toBe('r91');
  });

  it('updates loaded rows in place', () => {
    const fresh = updateRows(first, [
      { id: 'r93', rank: 200 },
      { id: 'new', rank: 1 },
    ]);
    expect(ids(fresh)).toEqual(ids(first));
    expect(fresh.rows[7]?.rank).toBe(200);
    expect(updateRows(first, ranks(100, 91))).toBe(first);
  });

  it('keeps the selection if its row is on the first page of another order, otherwise selects the first row', () => {
    const updated = select(first, 3, HEIGHT);
    expect(replaceRows(updated, head(ranks(97, 90)), HEIGHT).selectedId).toBe('r97');
    expect(replaceRows(updated, head(ranks(50, 40)), HEIGHT).selectedId).toBe('r50');
  });
});

describe('a list of events', () => {
  it('shows what a later report of its occurrence adds to an event', () => {
    const eventWith = (changes: Partial<RawPayload>): EventSummary => {
      const { event_id, issue_id, normalized } = sampleEvent(1, 1, { route: '', tags: {}, ...changes });
      return { ...normalized, event_id, issue_id, trace_id: null };
    };
    const isSame = (changes: Partial<RawPayload>): boolean => EVENT_ROWS.isSame(eventWith({}), eventWith(changes));
    const changes = [{}, { route: '/throw/:id' }, { status_code: 503 }, { tags: { host: 'one' } }];
    expect(changes.map(isSame)).toEqual([true, false, false, false]);
  });
});
