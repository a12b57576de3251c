/** Ids of the authenticators that settings name, at whatever depth: every `authenticator` that is a text. */
export function namedAuthenticators(settings: unknown): readonly string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) =>
    key === 'authenticator' && typeof value === 'string' ? [value] : namedAuthenticators(value),
  );
}
