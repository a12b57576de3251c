import { parse, pathToRegexp, type Token } from 'path-to-regexp';

/** What a route serves. */
export interface ServedPath {
  /** In upper case; `*` stands for every method. */
  readonly method: string;
  /** A path of Express. */
  readonly path: string | RegExp;
  /** Whether the router ignores case and a slash at the end, as Express does by default. Default false. */
  readonly isLoose?: boolean;
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

/** A route that is compared with others: made once, because Express's paths are parsed for it. */
export interface ComparedPath extends ServedPath {
  /** A path that it serves; undefined of a regular expression. */
  readonly example: string | undefined;
  /** Matches what it serves. */
  readonly pattern: RegExp;
}

/** Prepares a route for `areClashing`. */
export function comparedPath({ method, path, isLoose = false }: ServedPath): ComparedPath {
  if (typeof path !== 'string') return { method, path, example: undefined, pattern: path };
  const matched = isLoose && path !== '/' ? path.replace(/\/$/, '') : path;
  const { regexp: pattern } = pathToRegexp(matched, { sensitive: !isLoose, trailing: isLoose });
  return { method, path, example: readablePath(path).replace(/[{}]/g, ''), pattern };
}

/** Whether two routes serve the same requests. A path with parameters stands for one example. */
export function areClashing(one: ComparedPath, other: ComparedPath): boolean {
  const isSameMethod = one.method === other.method || one.method === '*' || other.method === '*';
  if (!isSameMethod) return false;
  if (String(one.path) === String(other.path)) return true;
  return isServedBy(one, other) || isServedBy(other, one);
}

function isServedBy({ example }: ComparedPath, { pattern }: ComparedPath): boolean {
  return example !== undefined && pattern.test(example);
}
