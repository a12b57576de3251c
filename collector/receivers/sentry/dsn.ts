import type { JsonValue } from '../../../core/event/json.js';

/** Who sends, as a DSN says, items 1 and 2. */
export interface Dsn {
  readonly key: string;
  readonly projectId: string;
}

const MAX_DSN_LENGTH = 2_000;
const PROJECT_AT_END = /(?:^|\/)([A-Za-z0-9_-]{1,64})\/?$/;

/** Reads a DSN; undefined for what is none, which counts as absent, item 21. */
export function parseDsn(value: JsonValue | undefined): Dsn | undefined {
  if (typeof value !== 'string' || value.length > MAX_DSN_LENGTH || !URL.canParse(value)) return undefined;
  const { username, pathname } = new URL(value);
  const projectId = PROJECT_AT_END.exec(pathname)?.[1];
  return username === '' || projectId === undefined ? undefined : { key: username, projectId };
}
