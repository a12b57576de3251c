/** What somebody serves on an endpoint: a method, or `*` for those that nobody else takes, at a path or what a pattern matches; or all below a prefix. */
export type RouteClaim = { readonly method: string; readonly path: string | RegExp } | { readonly prefix: string };

/** Whether two claims want the same requests, so that one of those who make them would be deaf. */
export function areClashing(one: RouteClaim, other: RouteClaim): boolean {
  if ('prefix' in one) return 'prefix' in other ? one.prefix === other.prefix : isBelow(other.path, one.prefix);
  if ('prefix' in other) return isBelow(one.path, other.prefix);
  const isSameMethod = one.method === other.method || one.method === '*' || other.method === '*';
  return isSameMethod && meet(one.path, other.path);
}

/** The claim as people read it. */
export function claimText(claim: RouteClaim): string {
  if ('prefix' in claim) return `${claim.prefix}/*`;
  return `${claim.method} ${typeof claim.path === 'string' ? claim.path : claim.path.source}`;
}

function meet(one: string | RegExp, other: string | RegExp): boolean {
  if (typeof one === 'string') return typeof other === 'string' ? one === other : other.test(one);
  return typeof other === 'string' ? one.test(other) : one.source === other.source;
}

/** A pattern is for paths of a protocol of its own, which no router has. */
function isBelow(path: string | RegExp, prefix: string): boolean {
  return typeof path === 'string' && (path === prefix || path.startsWith(`${prefix}/`));
}
