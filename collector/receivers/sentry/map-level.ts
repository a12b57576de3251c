import type { JsonValue } from '../../../core/event/json.js';
import { asText } from './map-values.js';

/** Names of one SDK or another for levels that have a common one (item 42). */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['warn', 'warning'],
  ['log', 'info'],
]);

/** The level of an event; `error` when it names none. */
export function levelOf(level: JsonValue | undefined): string {
  const name = asText(level)?.trim().toLowerCase() ?? 'error';
  return OTHER_NAMES.get(name) ?? name;
}
