import type { FailureReader, IssueListOptions } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import type { IssueId } from '../../../core/event/ids.js';
import { MAX_QUERY_LENGTH } from '../../../core/query/parse-query.js';
import type {
  FieldValues,
  IssueCounts,
  IssuePage,
  IssueSummary,
  IssuesSince,
} from '../../../generated/reader-answers.js';
import { type IssueListShape, shapeOfIssues } from '../../format/issue/issue-list-shape.js';
import { listQuery, withName } from '../../state/issue-tabs.js';
import { type IssueSource, type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import { appendPage } from '../../state/list-merge.js';
import type { Prompt } from '../../state/overlay.js';
import { type RowPage, wantedCursor } from '../../state/paged-list.js';
import { changeScreen, type StateChange, type StateRead, type TerminalState } from '../../state/terminal-state.js';
import { MAX_FEW_VALUES, type NeededValues, neededValues } from './filter-draft.js';
import { DEBOUNCE_MS, filterPromptOf, valueKey, withTypedFilter } from './filter-prompt.js';
import { issuesRows, withFreshHead, withNewRows } from './list-order.js';
import { duePreview, missingPreview } from './preview-reads.js';

/** Several windows, and small enough to read every second. */
const PAGE_ROWS = 100;
/** Rows of a high window; a query has at most 256 values. */
const MAX_NAMED = 200;
const MAX_SINCE = 200;

/** Reads to start at once. */
export function missingIssues(state: TerminalState, screen: IssuesScreen): readonly StateRead[] {
  const { list, wanted, shown } = screen;
  const prompt = filterPromptOf(state);
  if (prompt !== undefined) return readsWhileTyping(state, screen, prompt);
  if (!isSameSource(wanted, shown)) return [readHead(state, screen), readCounts(screen)];
  // The filter may be that of the loaded rows again, before others arrived.
  const counts = screen.countedQuery === wanted.query ? [] : [readCounts(screen)];
  const isTermless = list.rows.length > 0 || wanted.query === '' || screen.without?.query === wanted.query;
  const others = [...counts, ...(isTermless ? [] : [readTerms(screen)]), ...missingPreview(state, screen)];
  if (screen.isReorderWanted) return [readHead(state, screen), ...others];
  const cursor = wantedCursor(list, issuesRows(state));
  return cursor === undefined ? others : [readNext(screen, cursor), ...others];
}

/** Reads of every poll. */
export function polledIssues(state: TerminalState, screen: IssuesScreen): readonly StateRead[] {
  if (filterPromptOf(state) !== undefined && !isSameSource(screen.wanted, screen.shown)) return [];
  return [readHead(state, screen), readCounts(screen), ...duePreview(state, screen)];
}

/** Time without rows after which the count shows that they are missing. */
const SLOW_MS = 300;

function readsWhileTyping(
  state: TerminalState,
  screen: IssuesScreen,
  { draft, cursor }: Prompt<TerminalState>,
): readonly StateRead[] {
  const { key, wanted, shown, unfiltered, countedQuery } = screen;
  const delay = { ms: DEBOUNCE_MS, version: nameOf(wanted) };
  const values = neededValues(draft, cursor).filter((one) => !screen.values.has(valueKey(screen, one)));
  const isListed = isSameSource(wanted, shown);
  return [
    ...values.map((one) => readValues(screen, one)),
    ...(unfiltered === undefined ? [readCounts({ ...screen, wanted: { ...wanted, query: '' } })] : []),
    ...(isListed ? [] : [{ ...readHead(state, screen), name: `typed issues ${key}`, delay }, showSlow(screen)]),
    // Counts beside the list would delay it.
    ...(isListed && countedQuery !== wanted.query ? [{ ...readCounts(screen), name: `typed counts ${key}` }] : []),
  ];
}

function showSlow({ key, wanted }: IssuesScreen): StateRead {
  return {
    name: `slow ${key}`,
    delay: { ms: SLOW_MS, version: nameOf(wanted) },
    perform: async () =>
      changeIssues(key, wanted, (screen) => {
        return screen.isSlow || isSameSource(wanted, screen.shown) ? screen : { ...screen, isSlow: true };
      }),
  };
}

function readValues(screen: IssuesScreen, needed: NeededValues): StateRead {
  const { key, wanted, me } = screen;
  const name = valueKey(screen, needed);
  const keep = (values: FieldValues['values']): StateChange => {
    return (state) => {
      const prompt = filterPromptOf(state);
      const known = changeScreen('issues', key, (now) => ({ ...now, values: new Map(now.values).set(name, values) }))(
        state,
      );
      return prompt === undefined ? known : withTypedFilter(known, prompt);
    };
  };
  return {
    name: `values ${key} ${name}`,
    perform: async (reader) => {
      const query = listQuery({ tab: wanted.tab, query: '' }, me);
      return keep((await reader.listValues({ ...needed, query, limit: MAX_FEW_VALUES })).values);
    },
    // An older collector has no such call: its values are not completed.
    onFault: (fault) => (fault.code === 'COLLECTOR_ANSWER_INVALID' ? keep([]) : undefined),
  };
}

function readHead(state: TerminalState, { key, wanted, shown, me, list, acted }: IssuesScreen): StateRead {
  const visible = list.rows.slice(list.top, list.top + issuesRows(state)).map(({ issue_id }) => issue_id);
  // Of another list no row stays.
  const kept = isSameSource(wanted, shown) ? new Set([...visible, ...acted]) : new Set<IssueId>();
  return {
    name: `issues ${key} ${nameOf(wanted)}`,
    perform: async (reader) => {
      const options = optionsOf(wanted, me);
      const since = wanted.since && (await readSince(reader, wanted.since));
      const page = since?.page ?? (await reader.listIssues({ ...options, limit: PAGE_ROWS }));
      const listed = new Set(page.issues.map(({ issue_id }) => issue_id));
      const others = [...kept].filter((id) => !listed.has(id));
      const found = page.next_cursor === null ? [] : await findMatching(reader, options.query ?? '', others);
      for (const { issue_id } of found) listed.add(issue_id);
      const head = { page: rowsOf(page), found, missing: others.filter((id) => !listed.has(id)), acted };
      return changeIssues(key, wanted, (screen, now) => {
        const read = { ...screen, shown: wanted, total: page.total, isSlow: false, since: since?.rates };
        if (screen.shown === undefined) return withShape(withNewRows(read, now, head.page));
        if (!isSameSource(wanted, screen.shown))
          return withShape(withNewRows({ ...read, list: { ...screen.list, selectedId: undefined } }, now, head.page));
        const fresh = withFreshHead(read, now, head, screen);
        if (fresh === screen) return screen;
        return screen.list.rows.length >= issuesRows(now) ? { ...fresh, shape: keptShape(fresh) } : withShape(fresh);
      });
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

async function readSince(
  reader: Pick<FailureReader, 'listIssuesSince'>,
  { range: { from, before }, kind }: NonNullable<IssueSource['since']>,
): Promise<{ page: IssuePage; rates: IssuesSince }> {
  const rates = await reader.listIssuesSince({ from, before, kind, limit: MAX_SINCE });
  const issues = rates.issues.map(({ issue }) => issue);
  return { page: { issues, next_cursor: null, total: rates.counts[kind] }, rates };
}

function withShape(screen: IssuesScreen): IssuesScreen {
  return { ...screen, shape: shapeOfIssues(screen.list.rows) };
}

/** The shape of a list that fills its window stays; only the owners follow, because people assign them. */
function keptShape({ shape, list }: IssuesScreen): IssueListShape {
  return { ...shape, owner: shapeOfIssues(list.rows).owner };
}

/** Bounds the length of a query by ids. */
const ID_UNITS = 40;

/** The issues among `ids` that match a query; at most as many as fit one query. */
async function findMatching(
  reader: Pick<FailureReader, 'listIssues'>,
  query: string,
  ids: readonly IssueId[],
): Promise<readonly IssueSummary[]> {
  const room = Math.floor((MAX_QUERY_LENGTH - query.length) / ID_UNITS) - 1;
  const named = ids.slice(0, Math.min(room, MAX_NAMED));
  if (named.length === 0) return [];
  const narrowed = `${query === '' ? '' : `(${query}) `}issue_id:[${named.join(', ')}]`;
  return (await reader.listIssues({ query: narrowed, limit: named.length })).issues;
}

function readNext({ key, wanted, me }: IssuesScreen, cursor: string): StateRead {
  return {
    name: `issues ${key} ${nameOf(wanted)} ${cursor}`,
    perform: async (reader) => {
      const page = await reader.listIssues({ ...optionsOf(wanted, me), limit: PAGE_ROWS, cursor });
      return changeIssues(key, wanted, (screen) => ({
        ...screen,
        total: page.total,
        list: appendPage(screen.list, cursor, rowsOf(page)),
      }));
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

function readCounts({ key, wanted, me }: IssuesScreen): StateRead {
  return {
    name: `counts ${key} ${wanted.query}`,
    perform: async (reader) => {
      const counts = await reader.countIssues({ query: withName(wanted.query, me), me });
      return changeScreen('issues', key, (screen) => {
        const isWanted = screen.wanted.query === wanted.query;
        const changed = {
          ...(wanted.query === '' && { unfiltered: counts }),
          ...(isWanted && { counts, countedQuery: wanted.query }),
        };
        const before = { unfiltered: screen.unfiltered, counts: screen.counts, countedQuery: screen.countedQuery };
        const isSame = JSON.stringify({ ...before, ...changed }) === JSON.stringify(before);
        return isSame ? screen : { ...screen, ...changed };
      });
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

function readTerms({ key, wanted, me }: IssuesScreen): StateRead {
  const { query } = wanted;
  const keep = (terms: NonNullable<IssueCounts['without']>): StateChange =>
    changeIssues(key, wanted, (screen) => ({ ...screen, without: { query, terms } }));
  return {
    name: `terms ${key} ${query}`,
    perform: async (reader) => {
      const { without = [] } = await reader.countIssues({ query: withName(query, me), terms: true, me });
      return keep(without);
    },
    // An older collector does not count them.
    onFault: (fault) => (fault.code.startsWith('PARAMETER_') ? keep([]) : undefined),
  };
}

function optionsOf(source: IssueSource, me: string | undefined): IssueListOptions {
  return { query: listQuery(source, me), sort: source.sort };
}

function nameOf({ query, tab, sort, since }: IssueSource): string {
  return JSON.stringify([tab, sort, query, since]);
}

function rowsOf(page: { issues: IssueSummary[]; next_cursor: string | null }): RowPage<IssueSummary> {
  return { rows: page.issues, nextCursor: page.next_cursor };
}

/** Changes the list, unless it shows another source by then. */
function changeIssues(
  key: number,
  source: IssueSource,
  change: (screen: IssuesScreen, state: TerminalState) => IssuesScreen,
): StateChange {
  return changeScreen('issues', key, (screen, state) =>
    isSameSource(source, screen.wanted) ? change(screen, state) : screen,
  );
}

/** Restores the previous query after an invalid one, with the reason; an invalid cursor reloads the list. */
function rejectedQuery(key: number, source: IssueSource, fault: Fault): StateChange | undefined {
  if (fault.code === 'CURSOR_INVALID') return changeIssues(key, source, (screen) => ({ ...screen, shown: undefined }));
  if (fault.code !== 'QUERY_INVALID' || source.query === '') return undefined;
  return (state) => {
    const changed = changeIssues(key, source, (screen) => ({
      ...screen,
      wanted: screen.shown ?? { ...screen.wanted, query: '' },
    }))(state);
    return changed === state ? state : { ...changed, notice: { text: fault.message, tone: 'error' } };
  };
}
