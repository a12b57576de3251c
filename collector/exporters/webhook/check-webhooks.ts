import type { FoundFault } from '../../../config/check/place-faults.js';
import { areSettingsOf } from '../../../config/component-settings.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import type { ExportersSettings } from '../../../generated/settings.js';
import { refusedLiteral } from './public-address.js';
import { signingKey } from './sign-call.js';

/** What is wrong with the settings of webhooks: a query that cannot be read, an address that is never called, a secret without a key in it. */
export function checkWebhooks(exporters: ExportersSettings): FoundFault[] {
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!areSettingsOf('webhook', id, settings)) return [];
    const { on, query, endpoint, allow_private_addresses: isAnyAllowed, signing_secret: secret } = settings;
    const path = (key: string): FoundFault['path'] => ['exporters', id, key];
    const ofQuery = queryProblem(query);
    const refused = isAnyAllowed ? undefined : refusedLiteral(new URL(endpoint));
    const isWeak = secret !== undefined && signingKey(secret).length < MIN_KEY_BYTES;
    return [
      ...(on.length === 0 ? [{ path: path('on'), message: SILENT }] : []),
      ...(ofQuery === undefined ? [] : [{ path: path('query'), message: ofQuery }]),
      ...(refused === undefined ? [] : [{ path: path('endpoint'), message: refused.message }]),
      ...(isWeak ? [{ path: path('signing_secret'), message: WEAK }] : []),
    ];
  });
}

const SILENT = 'is empty, so that nothing would ever be told: name new, regressed or spiking';
const MIN_KEY_BYTES = 16;
const WEAK = `holds a key of less than ${MIN_KEY_BYTES} bytes: after whsec_ write at least 24 characters of base64, or take any other text`;

function queryProblem(query: string | undefined): string | undefined {
  try {
    parseQuery(query ?? '', 'issues');
    return undefined;
  } catch (error) {
    if (error instanceof QueryFault) return error.message;
    throw error;
  }
}
