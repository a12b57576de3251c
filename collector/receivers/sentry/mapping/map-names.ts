import type { JsonValue } from '../../../../core/event/json.js';
import type { SentryContext } from '../sentry-context.js';
import { asText } from './map-values.js';

/** The names in an item. */
export interface NamesOfItem {
  readonly app: string | undefined;
  readonly service: string | undefined;
  readonly environment: JsonValue | undefined;
}

/** The names in a payload. */
export interface PayloadNames {
  readonly app: string;
  readonly service: string;
  readonly env: string;
}

/** Chooses the names: for the app the project's settings precede the item, for the service the item precedes the settings. */
export function namesOf(item: NamesOfItem, { project }: SentryContext): PayloadNames {
  const app = project.app ?? item.app ?? `project-${project.id}`;
  return { app, service: item.service ?? project.service ?? app, env: asText(item.environment) ?? project.env };
}

/** Returns the package of a release `package@version`; undefined for other releases. */
export function packageOfRelease(release: string | undefined): string | undefined {
  const end = release?.lastIndexOf('@') ?? -1;
  return end > 0 ? release?.slice(0, end) : undefined;
}
