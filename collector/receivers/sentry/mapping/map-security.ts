import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { cutText } from '../../../../core/event/text.js';
import type { SentryContext } from '../sentry-context.js';
import { at, firstText, present } from './map-values.js';

/** Names of a value in reports of `report-uri` and of the Reporting API. */
const DIRECTIVE = ['effective-directive', 'effectiveDirective', 'violated-directive', 'violatedDirective'];
const BLOCKED = ['blocked-uri', 'blockedURL'];
const DOCUMENT = ['document-uri', 'documentURL'];
/** Reports about a host by their member; pins are beside their host. */
const HOST_REPORTS = [
  ['expect-ct-report', 'expectct', 'Expect-CT failed'],
  ['expect-staple-report', 'expectstaple', 'Expect-Staple failed'],
  ['known-pins', 'hpkp', 'Public key pinning validation failed'],
] as const;
/** Directives that Sentry names by their kind of resource. */
const RESOURCE = /^(child|connect|font|img|manifest|media|object|script|style)-src/;
/** A `blocked-uri` within the document (CSP 3, 2.4.1), for which older browsers send `self`. */
const INLINE = /^(?:self|(inline)|(?:wasm-)?eval)$/;
/** UTF-16 units of an address or name that are read. */
const MAX_LENGTH = 512;

/** Returns the event of a security report, with Sentry's title, which groups it, and the report unchanged; undefined for other values. */
export function eventOfReport(report: JsonValue, { envelope, receivedMs }: SentryContext): JsonObject | undefined {
  const violation =
    at(report, 'csp-report') ?? (at(report, 'type') === 'csp-violation' ? at(report, 'body') : undefined);
  const [member, logger, failure] = HOST_REPORTS.find(([name]) => at(report, name) !== undefined) ?? ['', 'csp', ''];
  const held = violation ?? at(report, member);
  const body = isJsonObject(held) ? held : report;
  const [directive] = violation === undefined ? [] : (textOf(body, DIRECTIVE)?.trim().split(' ', 1) ?? []);
  const hostname = textOf(body, ['hostname']);
  if (directive === undefined && (failure === '' || hostname === undefined)) return undefined;
  const title =
    directive === undefined ? `${failure} for '${hostname}'` : titleOf(directive, textOf(body, BLOCKED) ?? 'self');
  const url = textOf(body, DOCUMENT) ?? at(report, 'url');
  const [age, agent] = [at(report, 'age'), at(report, 'user_agent') ?? envelope['user_agent']];
  return present({
    // A message with parameters is its own template, so that the host stays in title and grouping.
    logentry: { message: title, formatted: title, params: [logger] },
    logger,
    release: at(envelope['trace'], 'release'),
    environment: at(envelope['trace'], 'environment'),
    timestamp: typeof age === 'number' ? (receivedMs - age) / 1_000 : at(body, 'date-time'),
    request: present({ url, headers: present({ 'user-agent': agent }) }),
    tags: present({
      'effective-directive': directive,
      disposition: at(body, 'disposition'),
      hostname,
      port: at(body, 'port'),
    }),
    report,
  });
}

function titleOf(directive: string, blocked: string): string {
  const resource = RESOURCE.exec(directive)?.[1];
  const name = resource === 'img' ? 'image' : (resource ?? directive);
  const inline = INLINE.exec(blocked);
  if (inline === null) return `Blocked '${name}' from '${hostOf(blocked)}'`;
  if (resource !== 'script') return `Blocked inline '${name}'`;
  return `Blocked unsafe ${inline[1] ?? (blocked === 'self' ? '(eval() or inline)' : 'eval()')} 'script'`;
}

/** Returns the host of a web address, and the scheme and host of another one. */
function hostOf(address: string): string {
  if (/^[a-z]+$/.test(address)) return `${address}:`;
  if (!URL.canParse(address)) return address;
  const { protocol, host } = new URL(address);
  return /^https?:$/.test(protocol) ? host : `${protocol}${host === '' ? '' : `//${host}`}`;
}

function textOf(body: JsonValue | undefined, names: readonly string[]): string | undefined {
  const text = firstText(body, names);
  return text && cutText(text, MAX_LENGTH);
}
