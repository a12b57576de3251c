import type { IncomingMessage } from 'node:http';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { SentryProjects } from '../../../generated/settings.js';
import type { SentryContext } from './sentry-context.js';

const NEWEST_VERSION = 7;
const SENTRY_SCHEME = /^sentry(?:\s+|$)/i;
const BASIC_SCHEME = /^basic\s+/i;

/** The public keys of a request's URL and headers. */
export interface RequestKeys {
  /** `sentry_key` of the query, of `X-Sentry-Auth` and of `Authorization: Sentry`. */
  readonly named: ReadonlySet<string>;
  /** `Authorization: Basic`, used only without other keys: browsers send the credentials of a site to its tunnel. */
  readonly basic: ReadonlySet<string>;
}

/** Reads the keys of a request. Throws `SENTRY_VERSION_UNSUPPORTED` above version 7. */
export function readKeys({ url = '', headers }: IncomingMessage): RequestKeys {
  const { authorization = '', 'x-sentry-auth': auth = '' } = headers;
  const pairs = [
    ...new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : ''),
    ...sentryPairs(String(auth)),
    ...(SENTRY_SCHEME.test(authorization) ? sentryPairs(authorization) : []),
  ];
  for (const [name, value] of pairs) {
    if (name === 'sentry_version' && Number(value) > NEWEST_VERSION) {
      throw new Fault('SENTRY_VERSION_UNSUPPORTED', `sentry_version ${quoted(value)} is not supported: use 7 or lower`);
    }
  }
  const named = pairs.filter(([name, value]) => name === 'sentry_key' && value !== '').map(([, value]) => value);
  return { named: new Set(named), basic: new Set(basicKeys(authorization)) };
}

/** The user name of Basic credentials, `key:`. */
function basicKeys(authorization: string): string[] {
  if (!BASIC_SCHEME.test(authorization)) return [];
  const [key = ''] = Buffer.from(authorization.replace(BASIC_SCHEME, ''), 'base64').toString().split(':', 1);
  return key === '' ? [] : [key];
}

/** `Sentry sentry_key=…, sentry_version=7`, in any order. */
function sentryPairs(header: string): (readonly [name: string, value: string])[] {
  if (header === '') return [];
  return header
    .replace(SENTRY_SCHEME, '')
    .split(',')
    .map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()];
    });
}

/** Returns the settings of a project, or of the one that a key names alone. Throws `SENTRY_KEY_MISSING`, `SENTRY_CREDENTIALS_DIFFER`, `SENTRY_PROJECT_UNKNOWN` and `SENTRY_KEY_WRONG`. */
export type ProjectGate = (projectId: string | undefined, keys: ReadonlySet<string>) => SentryContext['project'];

/** The project where the settings have none. */
export const DEFAULT_PROJECT = '1';
const DEFAULT_ENV = 'production';

/** Creates the gate; without configured projects it admits any project and key. */
export function createProjectGate(settings: SentryProjects): ProjectGate {
  const projects = new Map(Object.entries(settings));
  return (projectId, keys) => {
    const [key] = keys;
    if (key === undefined) throw keyMissing();
    if (keys.size > 1) throw credentialsDiffer('keys');
    if (projects.size === 0) return { id: projectId ?? DEFAULT_PROJECT, env: DEFAULT_ENV };
    const id = projectId ?? projectOfKey(settings, key);
    if (id === undefined) throw projectUnknown('of the key');
    return configuredProject(id, projects.get(id), key);
  };
}

function configuredProject(id: string, project: SentryProjects[string] | undefined, key: string) {
  if (project === undefined) throw projectUnknown(quoted(id));
  const { public_key, app, service, env } = project;
  if (public_key !== undefined && public_key !== key) {
    const sentence = `the key is not the one of project ${quoted(id)}: use its public_key in the DSN`;
    throw new Fault('SENTRY_KEY_WRONG', sentence);
  }
  const origin = public_key === undefined ? {} : ({ origin: 'token' } as const);
  return {
    id,
    env,
    ...origin,
    ...(app !== undefined && { app }),
    ...(service !== undefined && { service }),
  };
}

function projectUnknown(project: string): Fault {
  const sentence = `project ${project} is unknown: use the DSN that the collector prints, or add it to projects`;
  return new Fault('SENTRY_PROJECT_UNKNOWN', sentence);
}

/** The project with the key, else the only one that takes any key. */
function projectOfKey(settings: SentryProjects, key: string): string | undefined {
  const projects = Object.entries(settings);
  const own = projects.find(([, { public_key }]) => public_key === key);
  const [open, ...others] = projects.filter(([, { public_key }]) => public_key === undefined);
  return (own ?? (others.length === 0 ? open : undefined))?.[0];
}

/** Admits a request by the header of its envelope; an empty object for `/store/`. Throws as `ProjectGate`. */
type Admission = (header: JsonObject) => SentryContext['project'];

/** Checks project and keys before the body is read; without a project in the path the DSN of the envelope names it, else the key. Throws as `ProjectGate`. */
export function beginAdmission(
  { named, basic }: RequestKeys,
  projectOfPath: string | undefined,
  gate: ProjectGate,
): Admission {
  if (projectOfPath !== undefined && named.size > 0) gate(projectOfPath, named);
  return (header) => {
    const dsn = parseDsn(header['dsn']);
    const projectId = projectOfPath ?? dsn?.projectId;
    if (projectId === undefined) return gate(undefined, named);
    if (dsn === undefined) return gate(projectId, named.size > 0 ? named : basic);
    if (dsn.projectId !== projectId) throw credentialsDiffer('projects');
    return gate(projectId, new Set([...named, dsn.key]));
  };
}

const MAX_DSN_LENGTH = 2_000;
const PROJECT_AT_END = /(?:^|\/)([A-Za-z0-9_-]{1,64})\/?$/;

/** Parses a DSN; undefined for an invalid one, which counts as absent. */
function parseDsn(value: JsonValue | undefined) {
  if (typeof value !== 'string' || value.length > MAX_DSN_LENGTH || !URL.canParse(value)) return undefined;
  const { username, pathname } = new URL(value);
  const projectId = PROJECT_AT_END.exec(pathname)?.[1];
  return username === '' || projectId === undefined ? undefined : { key: username, projectId };
}

/** Creates the fault for a request with two projects or two keys. */
function credentialsDiffer(what: 'keys' | 'projects'): Fault {
  const sentence = `the request names two ${what}: its address, its headers and the dsn of the envelope must agree`;
  return new Fault('SENTRY_CREDENTIALS_DIFFER', sentence);
}

/** Creates the fault for a request without a key or a DSN. */
function keyMissing(): Fault {
  const sentence = 'no key: send sentry_key in the query or in X-Sentry-Auth, or a dsn in the header of the envelope';
  return new Fault('SENTRY_KEY_MISSING', sentence);
}
