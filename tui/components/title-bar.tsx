import type { ReactElement } from 'react';
import { type Line, type Span, span, spread, words } from '../format/line.js';
import { relativeTime } from '../format/relative-time.js';
import { ownWords, type Visible } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import type { Connection } from '../state/connection.js';
import { Lines } from './lines.js';

export interface TitleBarProps {
  /** Where the person is: `Issues`, `Issues › Events`. */
  place: string;
  /** What is counted here. */
  facts?: readonly Span[];
  connection: Connection;
}

const SEPARATOR = words(' · ', 'muted');

/** The top row: where one is at the left, totals and the connection at the right. */
export function TitleBar({ place, facts = [], connection }: TitleBarProps): ReactElement {
  const { size, nowMs } = useView();
  const left: Line = [words(' Faultline ', 'heading'), words(place)];
  const right = facts.flatMap((fact) => [fact, SEPARATOR]);
  return <Lines lines={[spread(left, [...right, connectionSpan(connection, nowMs), words(' ')], size.columns)]} />;
}

function connectionSpan(connection: Connection, nowMs: number): Span {
  switch (connection.kind) {
    case 'connecting':
      return words('connecting', 'muted');
    case 'connected':
      return words('connected', 'good');
    case 'lost':
      return span(lostWords(connection.sinceMs, connection.retryAtMs, nowMs), 'error');
  }
}

function lostWords(sinceMs: number, retryAtMs: number, nowMs: number): Visible {
  const since = relativeTime(new Date(sinceMs).toISOString(), nowMs);
  const seconds = Math.ceil((retryAtMs - nowMs) / 1_000);
  const age = since === 'now' ? 'just now' : `for ${since}`;
  return ownWords(`collector lost ${age}, ${seconds > 0 ? `retry in ${seconds}s` : 'retrying'}`);
}
