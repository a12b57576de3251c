import type { EventDetail } from '../../generated/reader-answers.js';
import { type JsonObject, type JsonValue, ownValue } from '../event/json.js';
import { type Brief, type BriefOptions, type BriefSection, composeBrief } from './brief.js';
import { type BriefFrame, eventFrames } from './event-frames.js';
import { type BriefLine, neutralLine, neutralLines } from './fit-text.js';

/** Frames whose lines of source are shown. */
const SOURCE_FRAMES = 3;
/** Frames of a stack without frames of the application. */
const LIBRARY_FRAMES = 8;
const MAX_CRUMBS = 100;
/** Members of `extra` that other sections show, or that say how an event was mapped. */
const OWN_EXTRA: ReadonlySet<string> = new Set(['sentry', 'otlp', 'faultline', 'fingerprint', 'breadcrumbs']);

/** One event in at most `maxTokens`: error, message, calls with their source, breadcrumbs, fields, tags, what else was sent. */
export function eventBrief(event: EventDetail, options: BriefOptions): Brief {
  const { event_id: id, issue_id: issueId, normalized, origin = null, reports = [] } = event;
  const facts = [`# Event ${id}`, `Issue ${issueId}. Time ${normalized.timestamp.slice(0, 19)}Z.`];
  const others = reports.filter((report) => report.event.event_id !== id);
  if (others.length > 0) {
    facts.push(`Also reported by ${others.map((report) => `${report.kind} ${report.event.event_id}`).join(', ')}.`);
  }
  return composeBrief(
    {
      parts: [{ from: 'server' }, { from: 'event', origin }],
      sections: [{ name: 'facts', part: 0, lines: facts.map(briefLine) }, ...eventSections(event, 1)],
      next: `Everything: faultline event ${id} --json`,
    },
    options,
  );
}

/** The sections of an event by importance, for the part with that index. */
export function eventSections({ normalized, raw }: EventDetail, part: number): BriefSection[] {
  const { extra } = raw.payload;
  const sentry = ownValue(extra as JsonValue, 'sentry');
  const frames = eventFrames(normalized);
  const crumbs = crumbsOf(sentry, extra as JsonValue);
  const tags = Object.entries(normalized.tags).sort(([left], [right]) => (left < right ? -1 : 1));
  const others = Object.entries((extra ?? {}) as JsonObject).filter(([key]) => !OWN_EXTRA.has(key));
  return [
    { name: 'message lines', part, share: 0.25, lines: messageLines(normalized) },
    { name: 'frames', part, share: 0.4, title: 'Calls, innermost first:', ...frameLines(frames) },
    { name: 'fields', part, share: 0.15, lines: fieldLines(normalized) },
    {
      name: 'breadcrumbs',
      part,
      share: 0.2,
      title: 'Before it, newest first:',
      lines: crumbs.slice(0, MAX_CRUMBS).map((crumb) => briefLine(crumbLine(crumb))),
      more: Math.max(0, crumbs.length - MAX_CRUMBS),
    },
    { name: 'tags', part, share: 0.1, title: 'Tags:', lines: tags.map(([key, value]) => pairLine(key, value)) },
    {
      name: 'extra values',
      part,
      share: 0.1,
      title: 'Extra:',
      lines: others.map(([key, value]) => pairLine(key, typeof value === 'string' ? value : JSON.stringify(value))),
    },
  ];
}

/** A line that is neutral already. */
export function briefLine(text: string): BriefLine {
  return { text, rest: 0 };
}

/** `name: value` of an event, each cut. */
export function pairLine(name: string, value: string): BriefLine {
  return briefLine(`${neutralLine(name, 60)}: ${neutralLine(value)}`);
}

function messageLines({ error_name: name, message }: EventDetail['normalized']): BriefLine[] {
  return neutralLines(name === '' ? message : `${name}: ${message}`);
}

function fieldLines(normalized: EventDetail['normalized']): BriefLine[] {
  const { app, service, env, release, level, type, method, route, status_code: status } = normalized;
  const pairs: readonly (readonly [string, string | number | null])[] = [
    ['app', app],
    ['service', service],
    ['environment', env],
    ['release', release],
    ['level', level],
    ['type', type],
    ['route', `${method ?? ''} ${route}`.trim()],
    ['status code', status],
    ['user', normalized.user_id],
    ['request', normalized.request_id],
    ['session', normalized.session_id],
  ];
  return pairs
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => pairLine(name, String(value)));
}

function frameLines(frames: readonly BriefFrame[]): Pick<BriefSection, 'lines' | 'more'> {
  const hasApp = frames.some(({ kind }) => kind === 'app');
  const shown = hasApp ? frames.filter(({ kind }) => kind !== 'library') : frames.slice(0, LIBRARY_FRAMES);
  const isChain = shown.filter(({ kind }) => kind === 'error').length > 1;
  let withSource = 0;
  const lines = shown.flatMap(({ kind, text, source }): BriefLine[] => {
    if (kind === 'error') return isChain ? [briefLine(neutralLine(text))] : [];
    const shownSource = source.length > 0 && withSource++ < SOURCE_FRAMES ? source : [];
    return [briefLine(`  ${neutralLine(text)}`), ...shownSource.flatMap((line) => neutralLines(line, 160))];
  });
  return { lines, more: frames.length - shown.length };
}

/** Newest first. */
function crumbsOf(sentry: JsonValue | undefined, extra: JsonValue): JsonValue[] {
  const sent = ownValue(sentry, 'breadcrumbs') ?? ownValue(extra, 'breadcrumbs');
  const list = Array.isArray(sent) ? sent : ownValue(sent, 'values');
  return Array.isArray(list) ? list.toReversed() : [];
}

function crumbLine(crumb: JsonValue): string {
  const texts = ['timestamp', 'category', 'level', 'message', 'data'].map((key) => {
    const value = ownValue(crumb, key);
    if (value === undefined || value === null) return '';
    return neutralLine(typeof value === 'string' ? value : JSON.stringify(value), 160);
  });
  return texts.filter((text) => text !== '').join(' ');
}
