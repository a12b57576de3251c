import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import type { SentryProjects } from '../../../generated/settings.js';
import type { SentryContext } from './sentry-context.js';

/** Decides which keys may send to which project. */
export interface ProjectGate {
  /** Returns the project's settings. Throws `SENTRY_KEY_MISSING`, `SENTRY_CREDENTIALS_DIFFER`, `SENTRY_PROJECT_UNKNOWN` and `SENTRY_KEY_WRONG`. */
  admit(projectId: string, keys: ReadonlySet<string>): SentryContext['project'];
}

const DEFAULT_ENV = 'production';

/** Creates the gate; without configured projects it admits any project and key. */
export function createProjectGate(settings: SentryProjects): ProjectGate {
  const projects = new Map(Object.entries(settings));
  return {
    admit(projectId, keys) {
      const [key] = keys;
      if (key === undefined) throw keyMissing();
      if (keys.size > 1) throw credentialsDiffer('keys');
      if (projects.size === 0) return { id: projectId, env: DEFAULT_ENV };
      const project = projects.get(projectId);
      if (project === undefined) throw projectUnknown(projectId);
      const { public_key, app, service, env } = project;
      if (public_key !== undefined && public_key !== key) throw keyWrong(projectId);
      return { id: projectId, env, ...(app !== undefined && { app }), ...(service !== undefined && { service }) };
    },
  };
}

/** Creates the fault for a request with two projects or two keys. */
export function credentialsDiffer(what: 'keys' | 'projects'): Fault {
  const sentence = `the request names two ${what}: its address, its headers and the dsn of the envelope must agree`;
  return new Fault('SENTRY_CREDENTIALS_DIFFER', sentence);
}

/** Creates the fault for a request without a key or, on the tunnel, without a DSN. */
export function keyMissing(): Fault {
  const sentence = 'no key: send sentry_key in the query or in X-Sentry-Auth, or a dsn in the header of the envelope';
  return new Fault('SENTRY_KEY_MISSING', sentence);
}

function projectUnknown(projectId: string): Fault {
  const sentence = `project ${quoted(projectId)} is unknown: use the DSN that the collector prints, or add it to projects`;
  return new Fault('SENTRY_PROJECT_UNKNOWN', sentence);
}

function keyWrong(projectId: string): Fault {
  const sentence = `the key is not the one of project ${quoted(projectId)}: use its public_key in the DSN`;
  return new Fault('SENTRY_KEY_WRONG', sentence);
}
