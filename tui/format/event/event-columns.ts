import type { EventSummary } from '../../../generated/reader-answers.js';
import type { Column } from '../../text/columns.js';
import { levelMeaning, shortLevel } from '../../text/line.js';
import { clockTime, type Zone, zoneWord } from '../../text/time-words.js';

const WIDE = 160;
const LEVEL: Column<EventSummary> = {
  heading: 'LEVEL',
  cells: 5,
  text: ({ level }) => shortLevel(level),
  meaning: ({ level }) => levelMeaning(level),
};
const CODE: Column<EventSummary> = {
  heading: 'CODE',
  cells: 4,
  align: 'right',
  text: ({ status_code }) => String(status_code ?? ''),
};
const ENV: Column<EventSummary> = { heading: 'ENV', cells: 12, from: 110, text: ({ env }) => env };
const RELEASE: Column<EventSummary> = {
  heading: 'RELEASE',
  cells: 10,
  from: 124,
  text: ({ release }) => release ?? '',
};
const ROUTE: Column<EventSummary> = {
  heading: 'ROUTE',
  cells: (width) => (width < WIDE ? 23 : 40),
  from: 76,
  text: routeOf,
};
const USER: Column<EventSummary> = { heading: 'USER', cells: 12, from: 140, text: ({ user_id }) => user_id ?? '' };

/** The columns of the events of one issue. */
export function eventColumns(zone: Zone): readonly Column<EventSummary>[] {
  return [
    timeColumn(zone),
    LEVEL,
    ENV,
    RELEASE,
    ROUTE,
    CODE,
    { heading: 'MESSAGE', cells: 'rest', text: ({ message }) => message },
    USER,
  ];
}

/** The columns of events of many issues. */
export function searchColumns(zone: Zone): readonly Column<EventSummary>[] {
  return [
    timeColumn(zone),
    LEVEL,
    { heading: 'APP', cells: 12, from: 150, text: ({ app }) => app },
    { heading: 'SERVICE', cells: (width) => (width < 100 ? 8 : 12), from: 70, text: ({ service }) => service },
    { ...ENV, from: 100 },
    RELEASE,
    { heading: 'EVENT', cells: 'rest', text: ({ error_name, message }) => `${error_name}: ${message}` },
    { ...CODE, from: 100 },
    { ...ROUTE, from: 120 },
    USER,
  ];
}

function timeColumn(zone: Zone): Column<EventSummary> {
  return {
    heading: `TIME (${zoneWord(zone)})`,
    cells: 14,
    text: ({ timestamp }) => clockTime(timestamp, 'short', zone),
  };
}

/** The route with its method, as in the detail view. */
function routeOf({ method, route }: EventSummary): string {
  return method === null ? route : `${method} ${route}`;
}
