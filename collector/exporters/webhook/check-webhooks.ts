import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { hasSettingsType } from '../../../config/component-settings.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import type { ExportersSettings } from '../../../generated/settings.js';
import { signingKey } from './deliver-call.js';
import { refusedLiteral } from './public-address.js';

/** Returns errors in webhook settings: empty `on`, invalid query, private address, weak secret. */
export function checkWebhooks(exporters: ExportersSettings): SettingsFault[] {
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!hasSettingsType('webhook', id, settings)) return [];
    const { on, query, endpoint, allow_private_addresses: isAnyAllowed, signing_secret: secret } = settings;
    const path = (key: string): SettingsFault['path'] => ['exporters', id, key];
    const queryError = queryErrorOf(query);
    const refused = isAnyAllowed ? undefined : refusedLiteral(new URL(endpoint));
    const isWeak = secret !== undefined && signingKey(secret).length < MIN_KEY_BYTES;
    return [
      ...(on.length === 0 ? [{ path: path('on'), message: SILENT }] : []),
      ...(queryError === undefined ? [] : [{ path: path('query'), message: queryError }]),
      ...(refused === undefined ? [] : [{ path: path('endpoint'), message: refused.message }]),
      ...(isWeak ? [{ path: path('signing_secret'), message: WEAK }] : []),
    ];
  });
}

const SILENT = 'is empty, so the webhook would report nothing: name new, regressed or spiking';
const MIN_KEY_BYTES = 16;
const WEAK = `has a key of less than ${MIN_KEY_BYTES} bytes: after whsec_ write at least 24 characters of base64, or use any other text`;

function queryErrorOf(query: string | undefined): string | undefined {
  try {
    parseQuery(query ?? '', 'issues');
    return undefined;
  } catch (error) {
    if (error instanceof QueryFault) return error.message;
    throw error;
  }
}
