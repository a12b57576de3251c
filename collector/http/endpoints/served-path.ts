import { parse, pathToRegexp, type Token } from 'path-to-regexp';

/** What a route serves. */
export interface ServedPath {
  /** In upper case; `*` stands for every method. */
  readonly method: string;
  /** A path of Express. */
  readonly path: string | RegExp;
}

/** The route as text, for people. */
export function routeText({ method, path }: ServedPath): string {
  return `${method} ${typeof path === 'string' ? readablePath(path) : path.source}`;
}

/** A path of Express as in an OpenAPI document: `/issues/{issue_id}`; optional parts are written. */
export function readablePath(path: string): string {
  return readableTokens(parse(path).tokens);
}

function readableTokens(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'text') return token.value;
      return token.type === 'group' ? readableTokens(token.tokens) : `{${token.name}}`;
    })
    .join('');
}

/** Returns a path of Express that matches a text as it is. */
export function literalPath(text: string): string {
  return text.replace(/[\\{}()[\]+?!:*]/g, '\\$&');
}

/** Returns a path of Express for a prefix and everything below it, whose parts it does not decode. */
export function pathBelow(prefix: string): RegExp {
  return new RegExp(`^${prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/.*)?$`);
}

/**
 * Whether two routes serve the same requests, also in other case or with another slash at the end, because routers of plugins may ignore both. A path
 * with parameters stands for one example.
 */
export function areClashing(one: ServedPath, other: ServedPath): boolean {
  const isSameMethod = one.method === other.method || one.method === '*' || other.method === '*';
  if (!isSameMethod) return false;
  if (String(one.path) === String(other.path)) return true;
  return isServedBy(one.path, other.path) || isServedBy(other.path, one.path);
}

/** Whether an example of a path is among those of another one. */
function isServedBy(path: string | RegExp, other: string | RegExp): boolean {
  if (typeof path !== 'string') return false;
  const example = readablePath(path).replace(/[{}]/g, '');
  const pattern = typeof other === 'string' ? pathToRegexp(other, { sensitive: false, trailing: true }).regexp : other;
  return pattern.test(example);
}
