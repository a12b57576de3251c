import type { IncomingMessage } from 'node:http';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';

const NEWEST_VERSION = 7;
/** Number of cached credentials, and UTF-16 units of each. */
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 1_024;
const SENTRY_SCHEME = /^sentry(?:\s+|$)/i;
const BASIC_SCHEME = /^basic\s+/i;

/** The public keys of a request's URL and headers. */
export interface RequestKeys {
  /** `sentry_key` of the query, of `X-Sentry-Auth` and of `Authorization: Sentry`, items 8 to 10. */
  readonly named: ReadonlySet<string>;
  /** `Authorization: Basic`, used only without other keys: browsers send the credentials of a site to its tunnel. */
  readonly basic: ReadonlySet<string>;
}

/**
 * Creates a reader that caches credentials, because an SDK sends the same ones with every request. It throws `SENTRY_VERSION_UNSUPPORTED` for a
 * `sentry_version` above 7, item 12.
 */
export function createKeyReader(): (request: IncomingMessage) => RequestKeys {
  const known = new Map<string, RequestKeys>();
  return ({ url = '', headers }) => {
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    const { authorization = '', 'x-sentry-auth': sent = '' } = headers;
    const auth = typeof sent === 'string' ? sent : sent.join(',');
    // A URL or header cannot contain a line break.
    const credentials = `${query}\n${auth}\n${authorization}`;
    const remembered = known.get(credentials);
    if (remembered !== undefined) return remembered;
    const keys = parseKeys(query, auth, authorization);
    if (credentials.length > MAX_REMEMBERED_LENGTH) return keys;
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(credentials, keys);
    return keys;
  };
}

function parseKeys(query: string, auth: string, authorization: string): RequestKeys {
  const pairs = [
    ...new URLSearchParams(query),
    ...sentryPairs(auth),
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
  return header
    .replace(SENTRY_SCHEME, '')
    .split(',')
    .map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()];
    });
}
