import type { EventDetail } from '../../generated/reader-answers.js';
import { escapeHidden, sortedJson } from '../text/json-text.js';
import { neutralise } from '../text/visible.js';

/** The title of an issue, safe to paste into a terminal. */
export function titleText({ title }: { readonly title: string }): string {
  return neutralise(title);
}

/** Where the raw line lies: `path:line`, and that lines count from zero, as the specification has it. */
export function locationText({ raw }: Pick<EventDetail, 'raw'>): string {
  return `${neutralise(raw.path)}:${raw.line} (line counted from zero)`;
}

/** The raw payload as JSON on one line, as it is stored; hidden characters are escaped, which is the same JSON. */
export function rawText({ raw }: Pick<EventDetail, 'raw'>): string {
  return escapeHidden(JSON.stringify(raw.payload));
}

/** The normalized event as the detail view shows it: indented JSON, keys in alphabetical order. */
export function normalizedText({ normalized }: Pick<EventDetail, 'normalized'>): string {
  return sortedJson({ ...normalized });
}
