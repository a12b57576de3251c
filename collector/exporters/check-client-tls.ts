import { areSettingsOf } from '../../config/component-settings.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { ExportersSettings } from '../../config/settings.js';

/** Certificates without their private key, and keys without their certificate, of everything that calls others. */
export function checkClientTls(exporters: ExportersSettings): FoundFault[] {
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!areSettingsOf('otlp_http', id, settings) && !areSettingsOf('webhook', id, settings)) return [];
    const { cert_file: certFile, key_file: keyFile } = settings.tls;
    if ((certFile === undefined) === (keyFile === undefined)) return [];
    const [given, missing] = certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
    return [{ path: ['exporters', id, 'tls', given], message: `stands without ${missing}: give both, or none` }];
  });
}
