import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import type { SentryContext } from '../sentry-context.js';
import { asText, at, scalarOf } from './map-values.js';

/** Tags of an event, and the entries that are not valid tags. */
export interface SentryTags {
  readonly tags: Record<string, string>;
  /** Entries whose key or value is not a scalar; null values are in neither list. */
  readonly leftOver: JsonValue[];
}

/** Maps an object or a list of pairs to tags; numbers and booleans become text. */
export function tagsOf(value: JsonValue | undefined): SentryTags {
  const tags: Record<string, string> = {};
  const leftOver: JsonValue[] = [];
  if (value === undefined || value === null) return { tags, leftOver };
  if (!isJsonObject(value) && !Array.isArray(value)) return { tags, leftOver: [value] };
  const add = (key: JsonValue | undefined, tag: JsonValue | undefined, sent: JsonValue) => {
    const name = asText(key);
    const text = typeof tag === 'string' ? tag : asText(scalarOf(tag ?? null));
    if (name !== undefined && text !== undefined) setOwnProperty(tags, name, text);
    else if (sent !== null && tag !== null) leftOver.push(sent);
  };
  if (!Array.isArray(value)) for (const key of Object.keys(value)) add(key, value[key], [key, value[key] ?? null]);
  else {
    for (const entry of value) {
      if (Array.isArray(entry)) add(entry[0], entry[1], entry);
      else add(at(entry, 'key'), at(entry, 'value'), entry);
    }
  }
  return { tags, leftOver };
}

/** Adds tags whose names are still free. */
export function addTags(
  tags: Record<string, string>,
  more: readonly (readonly [string, JsonValue | undefined])[],
): JsonObject {
  for (const [name, value] of more) {
    const text = asText(value);
    if (text !== undefined && !Object.hasOwn(tags, name)) tags[name] = text;
  }
  return tags;
}

/** Chooses the names: for the app the project's settings precede the item, for the service the item precedes the settings. */
export function namesOf(
  item: Readonly<Record<'app' | 'service', string | undefined>> & { readonly environment: JsonValue | undefined },
  { project }: SentryContext,
): Readonly<Record<'app' | 'service' | 'env', string>> {
  const app = project.app ?? item.app ?? `project-${project.id}`;
  return { app, service: item.service ?? project.service ?? app, env: asText(item.environment) ?? project.env };
}

/** Returns the package of a release `package@version`; undefined for other releases. */
export function packageOfRelease(release: string | undefined): string | undefined {
  const end = release?.lastIndexOf('@') ?? -1;
  return end > 0 ? release?.slice(0, end) : undefined;
}
