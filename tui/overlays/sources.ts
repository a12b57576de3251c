import { failingExportersLines } from '../format/export/failing-exporters.js';
import type { SourceState } from '../readers/source.js';
import { type TerminalState, withEffect } from '../state/terminal-state.js';
import { countWithNoun } from '../text/counts.js';
import { type Line, type Meaning, span, words } from '../text/line.js';
import { ago } from '../text/time-words.js';
import { cutToCells, neutralise } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';

/** The state stays visible after a long name. */
const MAX_NAME_CELLS = 30;

const MEANINGS: Readonly<Record<SourceState['kind'], Meaning>> = {
  connecting: 'muted',
  connected: 'good',
  lost: 'error',
  unauthorized: 'warning',
};

/** Opens the status: the sources and the failing exporters. */
export function openSources(state: TerminalState): TerminalState {
  return withEffect(state, {
    perform: async ({ reader }) => {
      const sources = reader.sources();
      return (now) => {
        // The user may have opened something else meanwhile.
        if (now.overlay !== undefined) return now;
        const failing = failingExportersLines(now.stats, now.size.columns - 1);
        const lines = [[], ...sources.flatMap((source) => [...sourceLines(source, now), []]), ...failing];
        return { ...now, overlay: { kind: 'sheet', title: 'Status', lines, top: 0 } };
      };
    },
  });
}

function sourceLines(source: SourceState, { nowMs, size }: TerminalState): readonly Line[] {
  const { name, address, kind, reason, sinceMs, events, issues, canAct } = source;
  const since = sinceMs === undefined ? [] : [words(' '), span(ago(new Date(sinceMs).toISOString(), nowMs))];
  const counts: readonly Line[] =
    events === undefined || issues === undefined
      ? []
      : [[words('    '), span(countWithNoun(issues, 'issue')), words(', '), span(countWithNoun(events, 'event'))]];
  const access = canAct === undefined ? [] : [words(canAct ? '   read and write' : '   read-only', 'muted')];
  const first: Line = [
    words('  '),
    span(cutToCells(name, MAX_NAME_CELLS), 'strong'),
    words('  '),
    words(kind, MEANINGS[kind]),
    ...since,
    ...access,
  ];
  const second: Line = [words('    '), span(neutralise(address), 'muted')];
  if (reason === undefined) return [first, second, ...counts];
  return [
    first,
    second,
    ...counts,
    ...wrapLine([words('    '), span(neutralise(reason), 'error')], size.columns - 1, 4),
  ];
}
