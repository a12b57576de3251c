/** A route on an endpoint: a method, or `*` for methods without a route, at a path or pattern; or everything below a prefix. */
export type RouteClaim = { readonly method: string; readonly path: string | RegExp } | { readonly prefix: string };

/** Whether two claims match the same requests. */
export function areClashing(one: RouteClaim, other: RouteClaim): boolean {
  if ('prefix' in one) return 'prefix' in other ? one.prefix === other.prefix : isBelow(other.path, one.prefix);
  if ('prefix' in other) return isBelow(one.path, other.prefix);
  const isSameMethod = one.method === other.method || one.method === '*' || other.method === '*';
  return isSameMethod && meet(one.path, other.path);
}

/** The claim as text. */
export function claimText(claim: RouteClaim): string {
  if ('prefix' in claim) return `${claim.prefix}/*`;
  return `${claim.method} ${typeof claim.path === 'string' ? claim.path : claim.path.source}`;
}

function meet(one: string | RegExp, other: string | RegExp): boolean {
  if (typeof one === 'string') return typeof other === 'string' ? one === other : other.test(one);
  return typeof other === 'string' ? one.test(other) : one.source === other.source;
}

/** Patterns are for paths of protocols, which no router has. */
function isBelow(path: string | RegExp, prefix: string): boolean {
  return typeof path === 'string' && (path === prefix || path.startsWith(`${prefix}/`));
}
