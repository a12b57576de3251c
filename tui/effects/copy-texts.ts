import type { EventDetail } from '../../generated/reader-answers.js';
import { escapeHidden, sortedJson } from '../text/json-text.js';
import { neutralise } from '../text/visible.js';

/** The title of an issue, safe to paste into a terminal. */
export function titleText({ title }: { readonly title: string }): string {
  return neutralise(title);
}

/** The position of the raw line: `path:line`, with the line zero-based. */
export function locationText({ raw }: Pick<EventDetail, 'raw'>): string {
  return `${neutralise(raw.path)}:${raw.line} (line counted from zero)`;
}

/** The stored raw payload as JSON on one line, with hidden characters escaped. */
export function rawText({ raw }: Pick<EventDetail, 'raw'>): string {
  return escapeHidden(JSON.stringify(raw.payload));
}

/** The whole event as indented JSON with sorted keys. */
export function eventText({ event_id, issue_id, raw, normalized, notes }: EventDetail): string {
  const payload = { ...raw.payload };
  return `${sortedJson({
    event_id,
    issue_id,
    raw: { ...raw, payload },
    normalized: { ...normalized },
    notes: notes.map((note) => ({ ...note })),
  })}\n`;
}

/** The normalized event as indented JSON with sorted keys. */
export function normalizedText({ normalized }: Pick<EventDetail, 'normalized'>): string {
  return sortedJson({ ...normalized });
}
