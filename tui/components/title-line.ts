import type { Connection } from '../../core/merged/connection.js';
import type { TitleFact } from '../state/screen-logic.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { type Line, lineCells, type Span, span, spread, words } from '../text/line.js';
import { relativeTime } from '../text/time-words.js';
import { literal, neutralise } from '../text/visible.js';

const SEPARATOR = words(' · ', 'muted');

/** The top row: the path on the left, facts and the connection on the right; of a sheet, that any key closes it. */
export function titleLine(state: TerminalState, path: string, facts: readonly TitleFact[] = []): Line {
  const { columns } = state.size;
  const left: Line = [words(' Faultline', 'heading'), words(`  ${path} `)];
  const room = columns - lineCells(left);
  const whole = state.overlay?.kind === 'sheet' ? words('any key closes', 'muted') : sourcesSpan(state);
  const isTooLong = state.connection.kind === 'lost' && lineCells([whole]) >= room;
  const right = fittingRight(facts, isTooLong ? shortLostSpan(state.connection) : whole, room);
  return spread(left, right, columns);
}

function shortLostSpan(connection: Connection): Span {
  const isUnauthorized = connection.kind === 'lost' && connection.isUnauthorized;
  return words(isUnauthorized ? 'no access' : 'connection lost', 'error');
}

/** The facts that fit, then the connection. */
function fittingRight(facts: readonly TitleFact[], connection: Span, cells: number): Line {
  const right = [...facts.flatMap(({ text }) => [text, SEPARATOR]), connection, words(' ')];
  if (facts.length === 0 || lineCells(right) <= cells) return right;
  const lowest = Math.min(...facts.map(({ rank }) => rank));
  return fittingRight(
    facts.filter(({ rank }) => rank > lowest),
    connection,
    cells,
  );
}

/** The number of sources, or the state of a single one. */
function sourcesSpan(state: TerminalState): Span {
  const { connection, sources } = state;
  const key = topScreen(state).kind === 'status' ? '' : ': S';
  const lost = sources.filter(({ kind }) => kind === 'lost').length;
  const unauthorized = sources.filter(({ kind }) => kind === 'unauthorized').length;
  if (sources.length < 2) return connectionSpan(state);
  const chosen = sources.filter(({ isLeftOut }) => isLeftOut !== true);
  if (connection.kind === 'lost' && unauthorized > 0 && lost === 0) return words(`token needed${key}`, 'error');
  if (connection.kind !== 'connected') return connectionSpan(state);
  if (unauthorized > 0 && lost === 0) {
    return words(`${unauthorized} of ${sources.length} sources need a token${key}`, 'error');
  }
  if (chosen.length < sources.length)
    return span(literal(`only ${neutralise(chosen[0]?.name ?? '')}${key}`), 'warning');
  if (lost === 0) return words(`${sources.length} sources`, 'good');
  return words(`${lost} of ${sources.length} sources lost${key}`, 'error');
}

function connectionSpan({ connection, stack, nowMs }: TerminalState): Span {
  switch (connection.kind) {
    case 'connecting':
      return words('connecting', 'muted');
    case 'connected':
      return words('live', 'good');
    case 'lost':
      if (connection.isUnauthorized) return words('no access', 'error');
      return words(
        `${stack[0].shown === undefined ? 'not connected' : lostWords(connection.sinceMs, nowMs)}, ${retryWords(connection.retryAtMs, nowMs)}`,
        'error',
      );
  }
}

function lostWords(sinceMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - sinceMs) / 1_000);
  const age = seconds < 60 ? `${seconds}s` : relativeTime(new Date(sinceMs).toISOString(), nowMs);
  return `connection lost${seconds < 1 ? '' : ` ${age} ago`}`;
}

function retryWords(retryAtMs: number, nowMs: number): string {
  const seconds = Math.ceil((retryAtMs - nowMs) / 1_000);
  return seconds > 0 ? `retry in ${seconds}s` : 'retrying';
}
