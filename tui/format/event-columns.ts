import type { EventSummary } from '../../core/reader.js';
import type { Column } from './columns.js';
import { levelMeaning } from './line.js';
import { clockTime } from './relative-time.js';

const WIDE = 160;

/** The columns of the event list. */
export const EVENT_COLUMNS: readonly Column<EventSummary>[] = [
  { heading: 'TIME (UTC)', cells: 14, text: ({ timestamp }) => clockTime(timestamp, 'short') },
  { heading: 'LEVEL', cells: 8, text: ({ level }) => level, meaning: ({ level }) => levelMeaning(level) },
  { heading: 'ENV', cells: 12, from: 110, text: ({ env }) => env },
  { heading: 'RELEASE', cells: 10, from: 124, text: ({ release }) => release ?? '' },
  { heading: 'ROUTE', cells: (width) => (width < WIDE ? 23 : 40), from: 76, text: routeOf },
  { heading: 'CODE', cells: 4, align: 'right', text: ({ status_code }) => String(status_code ?? '') },
  { heading: 'MESSAGE', cells: 'rest', text: ({ message }) => message },
  { heading: 'USER', cells: 12, from: 140, text: ({ user_id }) => user_id ?? '' },
];

/** The route with its method, as the detail view has it. */
function routeOf({ method, route }: EventSummary): string {
  return method === null ? route : `${method} ${route}`;
}
