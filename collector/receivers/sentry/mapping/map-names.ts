import type { JsonValue } from '../../../../core/event/json.js';
import type { SentryContext } from '../sentry-context.js';
import { asText } from './map-values.js';

/** What an item says about who it comes from; undefined where it says nothing. */
export interface NamesOfItem {
  readonly app: string | undefined;
  readonly service: string | undefined;
  readonly environment: JsonValue | undefined;
}

/** The names of a payload. */
export interface PayloadNames {
  readonly app: string;
  readonly service: string;
  readonly env: string;
}

/** App, service and environment: the settings of the project name the app before the item does, the item names its service before they do. */
export function namesOf(item: NamesOfItem, { project }: SentryContext): PayloadNames {
  const app = project.app ?? item.app ?? `project-${project.id}`;
  return { app, service: item.service ?? project.service ?? app, env: asText(item.environment) ?? project.env };
}

/** The package in a release `package@version`; undefined for a release of another form. */
export function packageOfRelease(release: string | undefined): string | undefined {
  const end = release?.lastIndexOf('@') ?? -1;
  return end > 0 ? release?.slice(0, end) : undefined;
}
