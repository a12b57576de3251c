import type { Settings } from '../../config/settings.js';

/** Ids of the receivers and extensions that ask callers for a token. */
export function guardedIds({ receivers, extensions }: Pick<Settings, 'receivers' | 'extensions'>): ReadonlySet<string> {
  const all = [...Object.entries(receivers), ...Object.entries(extensions)];
  return new Set(
    all.flatMap(([id, settings]) => ('auth' in settings && settings.auth.authenticator !== undefined ? [id] : [])),
  );
}
