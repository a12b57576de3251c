import {
  DETAIL_SECTIONS,
  type DetailBlockKind,
  type DetailSection,
  foldedDetail,
  sectionLines,
} from '../../format/event/detail-view.js';
import { openMenu } from '../../overlays/menu.js';
import type { EventScreen } from '../../state/event-state.js';
import { isMove, moveInText } from '../../state/moves.js';
import { Pager, type PagerHit, type PagerRow } from '../../state/pager.js';
import { popScreen, type TerminalState, topScreen, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { findOffsets, labelled, type MarkedRange, markedRow, type Needle, toNeedle } from '../../text/find-text.js';
import { type Line, levelMeaning, type Meaning, words } from '../../text/line.js';
import { detailWindow, MARGIN_CELLS } from './event-layout.js';

/** Runs a command in the detail view; undefined if it means nothing there. */
export function runInDetail(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined {
  const { pager } = screen;
  if (pager === undefined) return undefined;
  if (isMove(command)) {
    const position = moveInText(pager, screen.position, command, detailWindow(state));
    return withTop(state, { ...screen, position, hit: undefined });
  }
  switch (command) {
    case 'follow':
      return pager.visibleRows(screen.position, detailWindow(state)).some(({ part }) => part === 'link')
        ? popScreen(state)
        : state;
    case 'fold':
      return toggleNearest(state, screen);
    case 'unfold_all': {
      const folded = screen.folded.size > 0 ? [] : DETAIL_SECTIONS;
      return withTop(state, withFolded(state, screen, new Set(folded)));
    }
    default:
      return undefined;
  }
}

/** Folds sections; the window stays at the section of its first row. */
function withFolded(state: TerminalState, screen: EventScreen, folded: ReadonlySet<DetailSection>): EventScreen {
  const { views, position } = screen;
  if (views === undefined) return { ...screen, folded };
  const before = sectionLines(foldedDetail(views.blocks, screen.folded));
  const blocks = foldedDetail(views.blocks, folded);
  const at = before.find(({ line, end }) => position.line >= line && position.line < end);
  const now = sectionLines(blocks).find(({ section }) => section === at?.section);
  const pager = new Pager(blocks);
  const wanted = at === undefined || now === undefined ? position : { line: now.line, row: 0 };
  const line = Math.min(wanted.line, pager.lineCount - 1);
  return {
    ...screen,
    folded,
    pager,
    hit: undefined,
    position: pager.move({ ...wanted, line }, 0, detailWindow(state)),
  };
}

/** Unfolds the sections that contain a match. */
export function unfoldedFor(state: TerminalState, screen: EventScreen, needle: Needle): EventScreen {
  if (screen.folded.size === 0 || screen.views === undefined) return screen;
  let section: DetailSection | undefined;
  const folded = new Set(screen.folded);
  for (const { kind: part, text } of screen.views.blocks) {
    if (part === 'section') section = DETAIL_SECTIONS.find((one) => one === text);
    else if (section !== undefined && findOffsets(text, needle, 1).length > 0) folded.delete(section);
  }
  return folded.size === screen.folded.size ? screen : withFolded(state, screen, folded);
}

/** Scrolls to a match, unless it is visible. */
export function atDetailHit(state: TerminalState, screen: EventScreen, hit: PagerHit): EventScreen {
  const { pager } = screen;
  const view = detailWindow(state);
  const isVisible = pager
    ?.visibleRows(screen.position, view)
    .some(({ line, start, source }) => line === hit.line && hit.offset >= start && hit.offset < start + source.length);
  if (pager === undefined || isVisible === true) return screen;
  const above = Math.floor(view.rows / 4);
  return { ...screen, position: pager.move(pager.move(pager.rowOf(hit, view), 0, view), -above, view) };
}

function toggleNearest(state: TerminalState, screen: EventScreen): TerminalState {
  const { views, pager, position, folded } = screen;
  if (views === undefined || pager === undefined) return state;
  const sections = sectionLines(foldedDetail(views.blocks, folded));
  const here = sections.find(({ line, end }) => position.line >= line && position.line < end);
  if (here !== undefined) return toggleSection(state, here.section);
  const last = pager.visibleRows(position, detailWindow(state)).at(-1)?.line ?? 0;
  const visible = sections.filter(({ line }) => line > position.line && line <= last);
  const [only] = visible;
  if (only !== undefined && visible.length < sections.length) return toggleSection(state, only.section);
  const items = sections.map(({ section }) => ({
    key: section.charAt(0).toLowerCase(),
    label: section,
    detail: folded.has(section) ? 'unfold' : 'fold',
    run: (now: TerminalState) => toggleSection(now, section),
  }));
  return { ...state, overlay: openMenu('Fold which section?', items) };
}

function toggleSection(state: TerminalState, section: DetailSection): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'event') return state;
  const folded = new Set(screen.folded);
  if (!folded.delete(section)) folded.add(section);
  return withTop(state, withFolded(state, screen, folded));
}

const PART_MEANINGS: Readonly<Partial<Record<DetailBlockKind, Meaning>>> = {
  heading: 'heading',
  section: 'heading',
  file: 'label',
  link: 'selected',
};

/** Lines in which the table of the event ends: a tag may be called Level too. */
const SUMMARY_END = 12;

/** The visible rows of the detail view, with matches highlighted. */
export function detailLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { pager, position, search, hit } = screen;
  if (pager === undefined) return [];
  const rows = pager.visibleRows(position, detailWindow(state));
  const needle = toNeedle(search);
  if (needle === undefined) return rows.map((row) => rowLine(row, levelRange(row)));
  const hits = pager.find(needle);
  const current = hit === undefined ? undefined : hits[hit];
  const [first, last] = [rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0];
  const near = hits.filter(({ line }) => line >= first && line <= last);
  return rows.map((row) => {
    const ranges = near
      .filter(({ line }) => line === row.line)
      .map((one): MarkedRange => {
        const start = one.offset - row.start;
        return { start, end: start + needle.text.length, meaning: one === current ? 'selected' : 'match' };
      });
    return rowLine(row, ranges.length === 0 ? levelRange(row) : ranges);
  });
}

const LEVEL_LABEL = /^Level +/;

function levelRange({ part, source, line }: PagerRow): MarkedRange[] {
  const start = part === 'pairs' && line < SUMMARY_END ? (LEVEL_LABEL.exec(source)?.[0].length ?? 0) : 0;
  return start === 0 ? [] : [{ start, end: source.length, meaning: levelMeaning(source.slice(start)) }];
}

function rowLine({ source, part, labelCells, margin }: PagerRow, ranges: readonly MarkedRange[]): Line {
  const row = markedRow(source, PART_MEANINGS[part] ?? 'plain', ranges);
  const value = labelled(margin === 0 ? row : [words(' '.repeat(margin)), ...row], labelCells, 'label');
  // The link at the end is where the cursor is.
  return [words(part === 'link' ? '› ' : ' '.repeat(MARGIN_CELLS), part === 'link' ? 'selected' : 'plain'), ...value];
}
