import { isFolder, type SourceState } from '../../../core/merged/source.js';
import type { ExporterStats, GatewayStats, Stats } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { isMove, type Move, moveIndex } from '../../state/moves.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { openRejected, type StatusScreen } from '../../state/status-state.js';
import {
  popScreen,
  pushScreen,
  type TerminalState,
  withEffect,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import { type Column, tableLines } from '../../text/columns.js';
import { byteWords, countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, span, words, wrapLine } from '../../text/line.js';
import { relativeTime } from '../../text/moments.js';
import { cellsOf, literal, neutralise } from '../../text/visible.js';

/** The status; its statistics are polled on every screen. */
export const STATUS_LOGIC: ScreenLogic<StatusScreen> = {
  keyScope: () => ({ screen: 'status' }),
  run: (state, screen, command) => {
    if (isMove(command)) return withTop(state, moved(state, screen, command));
    if (command === 'rejected') return pushScreen(state, openRejected);
    if (command === 'back') return popScreen(state);
    return command === 'open' && canChoose(state, screen) ? toggleOnly(state, screen) : state;
  },
  missing: () => [],
  polled: () => [],
  fit: (_state, screen) => screen,
  isOffered: (state, screen, command) => (command === 'open' ? canChoose(state, screen) : command !== 'copy'),
  position: ({ sources }, { index }) => literal(`${Math.min(index + 1, sources.length)}/${sources.length}`),
  draw: (state, screen) => ({ path: 'Status', lines: statusLines(state, screen).slice(screen.top) }),
};

/** Moves among the sources; behind the last and before the first one, scrolls. */
function moved(state: TerminalState, screen: StatusScreen, move: Move): StatusScreen {
  const rows = bodyRows(state, 1);
  const index = moveIndex(screen.index, move, { last: state.sources.length - 1, rows });
  const last = Math.max(0, statusLines(state, screen).length - rows);
  const isAtEnd = index === screen.index;
  return { ...screen, index, top: moveIndex(screen.top, isAtEnd ? move : 'up', { last, rows }) };
}

/** Whether the selected source can be read alone; a peer cannot. */
function canChoose({ sources }: TerminalState, { index }: StatusScreen): boolean {
  return sources[index]?.isPeer !== true && ownSources(sources).length > 1;
}

function ownSources(sources: TerminalState['sources']): TerminalState['sources'] {
  return sources.filter(({ isPeer }) => isPeer !== true);
}

function toggleOnly(state: TerminalState, { index }: StatusScreen): TerminalState {
  const name = state.sources[index]?.name ?? '';
  const isOnly = ownSources(state.sources).every((source) => (source.isLeftOut === true) === (source.name !== name));
  return withEffect(state, {
    perform: async ({ reader }) => {
      reader.readOnly?.(isOnly ? undefined : name);
      return (now) => {
        const [issues, ...above] = now.stack;
        const stack: TerminalState['stack'] = [{ ...issues, shown: undefined }, ...above];
        const notice = isOnly ? 'All sources are read.' : `Only ${name} is read.`;
        return withNotice({ ...now, stack, sources: reader.sources() }, notice);
      };
    },
  });
}

interface Row {
  /** One for each heading; may be text from outside. */
  readonly cells: readonly string[];
  readonly problem?: string | undefined;
}

const COUNT = /^[\d,]+$/;
/** Longer values are cut. */
const MOST_CELLS = 30;
const MOST_SIDECARS = 5;
const OUTCOMES = ['received', 'stored', 'rejected', 'filtered', 'sampled', 'refused'] as const;

function statusLines(state: TerminalState, { index }: StatusScreen): readonly Line[] {
  const { sources, size } = state;
  const source = sources[index];
  const stats = source?.stats ?? state.stats;
  const of = source === undefined || source.isPeer === true ? '' : `, ${source.name}`;
  const rows = sources.map((one) => sourceRow(one, state.nowMs));
  const receivers = Object.entries(stats?.receivers ?? {}).map(([id, ledger]) => ({
    cells: [id, ...OUTCOMES.map((outcome) => fullCount(ledger[outcome]))],
  }));
  const table = (headings: readonly string[], shown: readonly Row[], selected = -1): Line[] =>
    tableOf(headings, shown, { cells: size.columns, selected });
  return [
    ...table(['SOURCE', 'STATE'.padEnd(20), 'ISSUES', 'EVENTS', 'ADDRESS'], rows, index),
    ...table([`RECEIVER${of}`, ...OUTCOMES.map((name) => name.toUpperCase())], receivers),
    ...table(
      [`EXPORTER${of}`, 'DESTINATION'.padEnd(28), 'WAITING', '  SENT', 'STATE'],
      exporterRows(stats?.exporters ?? {}),
    ),
    ...table([`GATEWAY${of}`, 'PARTITIONS', 'SOURCES', 'PENDING', '  GAPS', 'LAG'], gatewayRows(stats?.gateways ?? {})),
    ...table([`SIDECAR${of}`, 'LAG', 'LAST EVENT'], sidecarRows(stats?.gateways ?? {}, state.nowMs)),
    [],
    ...(stats === undefined ? [] : storeSentences(stats)).flatMap((text) =>
      wrapLine([words('  '), span(neutralise(text))], size.columns, 2),
    ),
  ];
}

function sourceRow(source: SourceState, nowMs: number): Row {
  const { name, address, reason, stats } = source;
  const counts = stats === undefined ? ['', ''] : [fullCount(stats.issues), fullCount(stats.events)];
  // The row has the address.
  const cause = reason && (/^No collector at \S+ \(([^()]*)\)/.exec(reason)?.[1] ?? reason.replace(/\.$/, ''));
  const stale = stats === undefined ? '' : `; its ${countWithNoun(stats.issues, 'issue')} are shown as stale (~)`;
  return { cells: [name, stateText(source, nowMs), ...counts, address], problem: cause && cause + stale };
}

function stateText(source: SourceState, nowMs: number): string {
  const { kind, sinceMs = nowMs, retryAtMs = nowMs, canAct, isLeftOut } = source;
  if (isLeftOut === true) return 'left out';
  if (kind === 'unauthorized') return 'needs a token';
  if (kind === 'connected') return canAct === false || isFolder(source) ? 'read-only' : 'connected';
  if (kind === 'connecting') return kind;
  const seconds = Math.ceil((retryAtMs - nowMs) / 1_000);
  const age = relativeTime(new Date(sinceMs).toISOString(), nowMs);
  return `lost ${age}${seconds > 0 ? `, retry in ${seconds}s` : ''}`;
}

/** Without the path of a destination, which may be secret. */
function exporterRows(exporters: Readonly<Record<string, ExporterStats>>): Row[] {
  return Object.entries(exporters).map(([id, { destination, waiting, sent, failing, last_error: error }]) => {
    const host = /^[a-z]+:\/\/[^/]+/.exec(destination)?.[0] ?? destination;
    const state = failing ? 'failing' : 'ok';
    return {
      cells: [id, host, fullCount(waiting), fullCount(sent), state],
      problem: failing ? error?.message : undefined,
    };
  });
}

function gatewayRows(gateways: Readonly<Record<string, GatewayStats>>): Row[] {
  return Object.entries(gateways).map(([id, { own, sources, pending, gaps, lag_ms: lagMs }]) => {
    const waiting = Object.values(pending).reduce((sum, one) => sum + one, 0);
    const counts = [own.length, sources.length, waiting, gaps].map(fullCount);
    return { cells: [id, ...counts, `${(lagMs / 1_000).toFixed(1)}s`] };
  });
}

/** Those with the largest lag. */
function sidecarRows(gateways: Readonly<Record<string, GatewayStats>>, nowMs: number): Row[] {
  const sidecars = Object.values(gateways).flatMap(({ sources }) => sources);
  const slowest = sidecars.sort((one, other) => other.lag_ms - one.lag_ms).slice(0, MOST_SIDECARS);
  return slowest.map(({ host, source, lag_ms: lagMs, last_event_at: at }) => ({
    cells: [host || source, `${(lagMs / 1_000).toFixed(1)}s`, relativeTime(at, nowMs)],
  }));
}

function storeSentences({ dead_letters: { records }, retention, raw_bytes: bytes, removed }: Stats): string[] {
  const rejected = `${countWithNoun(records, 'rejected payload')} ${records === 1 ? 'is' : 'are'} kept: R lists them.`;
  const gone = removed.events === 0 ? 'nothing removed yet' : `${countWithNoun(removed.events, 'event')} removed`;
  const kept = retention === undefined ? '' : `Kept ${retention}; `;
  return [...(records === 0 ? [] : [rejected]), `${kept}${byteWords(bytes)} used, ${gone}.`];
}

/** A table with columns as wide as their longest value; none without rows. */
function tableOf(headings: readonly string[], rows: readonly Row[], look: { cells: number; selected: number }): Line[] {
  const columns = headings.map((heading, at): Column<Row> => {
    const isCount = rows.some(({ cells }) => COUNT.test(cells[at] ?? ''));
    const longest = Math.max(...rows.map(({ cells }) => cellsOf(neutralise(cells[at] ?? ''))));
    // With the gap of the table, columns are two cells apart.
    const gap = at === 0 || isCount ? '' : ' ';
    const width = Math.max(heading.length, Math.min(longest, MOST_CELLS)) + (at === 0 ? 0 : 1);
    return {
      heading: gap + heading,
      cells: at === headings.length - 1 && !isCount ? 'rest' : width,
      text: ({ cells }) => gap + (cells[at] ?? ''),
      ...(isCount && { align: 'right' }),
    };
  });
  const [heading = [], ...lines] = tableLines(rows, columns, look);
  const indent =
    Math.max(...rows.map(({ cells }) => cellsOf(neutralise(cells[0] ?? ''))), headings[0]?.length ?? 0) + 4;
  const below = (problem: string | undefined): Line[] =>
    problem === undefined
      ? []
      : wrapLine([words(' '.repeat(indent)), span(neutralise(problem), 'error')], look.cells, indent);
  return rows.length === 0 ? [] : [[], heading, ...lines.flatMap((line, at) => [line, ...below(rows[at]?.problem)])];
}
