import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { RequestKeys } from './credentials.js';
import { credentialsDiffer, keyMissing, type ProjectGate } from './project-gate.js';
import type { SentryContext } from './sentry-context.js';

/** Admits a request by the header of its envelope; an empty object for `/store/`. Throws as `ProjectGate.admit`. */
export type Admission = (header: JsonObject) => SentryContext['project'];

/**
 * Checks the project and keys of a request before its body is read. Without a project in the path (the tunnel, items 7 and 11) the DSN of
 * the envelope names it. Throws as `ProjectGate.admit`.
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

/** Items 1 and 2. */
interface Dsn {
  readonly key: string;
  readonly projectId: string;
}

const MAX_DSN_LENGTH = 2_000;
const PROJECT_AT_END = /(?:^|\/)([A-Za-z0-9_-]{1,64})\/?$/;

/** Parses a DSN; undefined for an invalid one, which counts as absent, item 21. */
function parseDsn(value: JsonValue | undefined): Dsn | undefined {
  if (typeof value !== 'string' || value.length > MAX_DSN_LENGTH || !URL.canParse(value)) return undefined;
  const { username, pathname } = new URL(value);
  const projectId = PROJECT_AT_END.exec(pathname)?.[1];
  return username === '' || projectId === undefined ? undefined : { key: username, projectId };
}
