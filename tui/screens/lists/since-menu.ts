import type { Releases } from '../../../generated/reader-answers.js';
import { openMenu } from '../../overlays/menu.js';
import type { MenuItem } from '../../state/overlay.js';
import { rangeFrom, rangeOfRelease, type SinceRange } from '../../state/since-range.js';
import { type TerminalState, withEffect } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { momentWords } from '../../text/moments.js';
import { ago, spanWords, zoneWord } from '../../text/time-words.js';
import { cutToCells } from '../../text/visible.js';
import { withSource } from './list-changes.js';

const MAX_RELEASES = 9;
const NAME_CELLS = 30;
const DAY_MS = 86_400_000;

/** Reads the latest releases and opens the menu of instants. */
export function askSince(state: TerminalState): TerminalState {
  return withEffect(state, {
    perform: async ({ reader }) => {
      const { releases } = await reader.listReleases({ limit: MAX_RELEASES + 1 });
      return (now) => (now.overlay === undefined ? { ...now, overlay: sinceMenu(now, releases) } : now);
    },
  });
}

function sinceMenu(state: TerminalState, releases: Releases['releases']) {
  const { nowMs, habits, memory } = state;
  const listed = releases.slice(0, MAX_RELEASES);
  const names = listed.map(({ name }) => cutToCells(name, NAME_CELLS));
  const cells = Math.max(...names.map(({ length }) => length), '1 day'.length) + 3;
  const item = (key: string, label: string, range: SinceRange | undefined): MenuItem<TerminalState> => ({
    key,
    label,
    run: (now) => withSource(now, { since: range && { range, kind: 'new' } }),
  });
  const items = listed.map(({ name, first_seen, events }, index) => {
    const age = `${spanWords(nowMs - Date.parse(first_seen))} ago`;
    const label = `${names[index]?.padEnd(cells)}${age.padEnd(11)}${fullCount(events).padStart(5)} events`;
    return item(String(index + 1), label, rangeOfRelease(releases, name, nowMs));
  });
  const day = rangeFrom('1 day ago', nowMs - DAY_MS, nowMs);
  const moment = `since ${momentWords(day.from, { nowMs, zone: habits.time })} ${zoneWord(habits.time)}`;
  items.push(item('d', `${'1 day'.padEnd(cells)}${moment}`, day));
  const visits = [...memory.listStates.values()].map(({ savedAtMs = 0 }) => savedAtMs);
  const visitMs = Math.max(0, ...visits);
  const visit = rangeFrom('my last visit', visitMs, nowMs);
  if (visitMs > 0) items.push(item('l', `my last visit, ${ago(visit.from, nowMs)}`, visit));
  return openMenu('New since…', items);
}
