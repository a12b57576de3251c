import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { RequestKeys } from './credentials.js';
import { credentialsDiffer, keyMissing, type ProjectGate } from './project-gate.js';
import type { SentryContext } from './sentry-context.js';

/** Admits a request once the header of its envelope is known; an empty object for an event that has none. Throws as `ProjectGate.admit`. */
export type Admission = (header: JsonObject) => SentryContext['project'];

/**
 * Looks at the project and the keys of a request before its body is read: what they say wrong is thrown at once. Without a project in the address
 * (the tunnel, items 7 and 11) the DSN of the envelope names it. Throws as `ProjectGate.admit`.
 */
export function beginAdmission(
  { named, basic }: RequestKeys,
  projectOfPath: string | undefined,
  gate: ProjectGate,
): Admission {
  if (projectOfPath !== undefined && named.size > 0) gate.admit(projectOfPath, named);
  return (header) => {
    const dsn = parseDsn(header['dsn']);
    const projectId = projectOfPath ?? dsn?.projectId;
    if (projectId === undefined) throw keyMissing();
    if (dsn === undefined) return gate.admit(projectId, named.size > 0 ? named : basic);
    if (dsn.projectId !== projectId) throw credentialsDiffer('projects');
    return gate.admit(projectId, new Set([...named, dsn.key]));
  };
}

/** Who sends, as a DSN says, items 1 and 2. */
interface Dsn {
  readonly key: string;
  readonly projectId: string;
}

const MAX_DSN_LENGTH = 2_000;
const PROJECT_AT_END = /(?:^|\/)([A-Za-z0-9_-]{1,64})\/?$/;

/** Reads a DSN; undefined for what is none, which counts as absent, item 21. */
function parseDsn(value: JsonValue | undefined): Dsn | undefined {
  if (typeof value !== 'string' || value.length > MAX_DSN_LENGTH || !URL.canParse(value)) return undefined;
  const { username, pathname } = new URL(value);
  const projectId = PROJECT_AT_END.exec(pathname)?.[1];
  return username === '' || projectId === undefined ? undefined : { key: username, projectId };
}
