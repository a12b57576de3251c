import type { JsonObject } from '../../../core/event/json.js';
import type { RequestKeys } from './credentials.js';
import { parseDsn } from './dsn.js';
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
