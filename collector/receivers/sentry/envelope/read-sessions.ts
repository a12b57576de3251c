import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { parseTimestamp } from '../../../../core/normalize/timestamp.js';
import type { SessionReport, SessionStatus } from '../../../../core/storage/releases/session-tally.js';
import type { SentryContext } from '../sentry-context.js';
import { objectIn } from './item-json.js';
import type { SentItem } from './item-types.js';

const MAX_NAME = 250;
const MAX_SESSION_ID = 64;
/** Larger quantities are not plausible. */
const MAX_QUANTITY = 1_000_000_000;
/** Sessions that claim to be older, or later than now, count in the hour of their receipt. */
const MAX_AGE_MS = 86_400_000;

/** Statuses of a session without the ones that say no more than its errors. */
const STATUSES = new Map<JsonValue | undefined, SessionStatus>([
  ['crashed', 'crashed'],
  ['abnormal', 'abnormal'],
  ['errored', 'errored'],
  ['unhandled', 'errored'],
]);

/** Reads a `session` or `sessions` item; empty if its form is unknown or it names no release. */
export function readSessions(item: SentItem, context: SentryContext): SessionReport[] {
  const json = objectIn(item);
  const { attrs: attributes, aggregates } = json;
  if (!isJsonObject(attributes)) return [];
  const release = nameOf(attributes['release']);
  if (release === undefined) return [];
  const about = { release, environment: nameOf(attributes['environment']) ?? context.project.env };
  if (item.type === 'session') return readSession(json, about, context);
  return Array.isArray(aggregates) ? aggregates.flatMap((one) => readAggregate(one, about, context)) : [];
}

type About = Pick<SessionReport, 'release' | 'environment'>;

function readSession(session: JsonObject, about: About, context: SentryContext): SessionReport[] {
  const { sid, init, errors, status } = session;
  if (typeof sid !== 'string' || sid === '' || sid.length > MAX_SESSION_ID) return [];
  const hasErrors = typeof errors === 'number' && errors > 0;
  const known = STATUSES.get(status) ?? (hasErrors ? 'errored' : 'ok');
  return [{ ...about, ...whoAndWhen(session, context), sid, isFirst: init === true, status: known }];
}

function readAggregate(aggregate: JsonValue, about: About, context: SentryContext): SessionReport[] {
  if (!isJsonObject(aggregate)) return [];
  const count = (name: string): number => {
    const value = aggregate[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, MAX_QUANTITY) : 0;
  };
  const errored = count('errored') + count('unhandled');
  const [crashed, abnormal] = [count('crashed'), count('abnormal')];
  const sessions = count('exited') + errored + crashed + abnormal;
  if (sessions === 0) return [];
  return [{ ...about, ...whoAndWhen(aggregate, context), counts: { sessions, errored, crashed, abnormal } }];
}

function whoAndWhen({ did, started }: JsonObject, { receivedMs }: SentryContext) {
  const ms = (typeof started === 'string' ? parseTimestamp(started)?.ms : undefined) ?? receivedMs;
  const isPlausible = ms <= receivedMs && ms > receivedMs - MAX_AGE_MS;
  return { user: nameOf(did) ?? null, startedMs: isPlausible ? ms : receivedMs };
}

function nameOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME ? value : undefined;
}
