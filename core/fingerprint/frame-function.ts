/** UTF-16 units of a function's name that count. */
const MAX_NAME = 256;

const ALIAS = / \[as [^\]]{0,200}\]$/;
const ADJECTIVES = /^(?:(?:async|new|get|set|static|bound) )+/;
const RECEIVER = /^(?:Object|Module|Function|global|globalThis|[Ww]indow|exports|self)\./;
const NOBODY = /^(?:|\?|anonymous|eval|native|<anonymous>|<lambda>|<unknown>|anonymous function|_callee\d*\$?)$/i;
const ANONYMOUS_MEMBER = /\.(?:<anonymous>|anonymous|\?)$/;
const MINIFIED = /^(?:[A-Za-z_$]{1,2}\d?\.)?[A-Za-z_$]{1,2}\d?$/;

/** Marks that compilers and runtimes add and number anew with every build. */
const GENERATED: readonly (readonly [RegExp, string])[] = [
  [/\$\$Lambda[$/\w.]*/, '$$$$Lambda'],
  [/\blambda\$(\w+?)\$\d+$/, 'lambda$$$1'],
  [/\blambda\$\d+$/, 'lambda'],
  [/\$\$[A-Za-z_]\w*\$\$[0-9a-f]+/, '$$$$<generated>'],
  [/(Accessor|Proxy)\d+/, '$1'],
  [/\.func\d+(?:\.\d+)*$/, '.func'],
  [/\b(fn|access|anonfun|closure)(?:__|\$)\d+(?:\$\d+)*/, '$1'],
  [/\/<.*$/, ''],
];

const HAS_GENERATED = /\$\$|\blambda\$|(?:Accessor|Proxy)\d|\.func\d|(?:__|\$)\d|\/</;

/** A function's name without receivers, aliases and generated numbers; null when nothing is left that tells it from another. */
export function normalizeFunction(raw: string): string | null {
  let name = raw.length > MAX_NAME ? raw.slice(0, MAX_NAME) : raw;
  if (name.includes(' ')) name = name.replace(ALIAS, '').replace(ADJECTIVES, '');
  name = name.replace(RECEIVER, '');
  if (NOBODY.test(name) || ANONYMOUS_MEMBER.test(name)) return null;
  return normalizeGenerated(name);
}

/** A name of a class, module or function without the numbers that a compiler or a runtime gave it. */
export function normalizeGenerated(name: string): string {
  if (!HAS_GENERATED.test(name)) return name;
  let rest = name;
  for (const [pattern, replacement] of GENERATED) rest = rest.replace(pattern, replacement);
  return rest;
}

/** Whether a name of one or two letters was made by a minifier, which gives the next build another one. */
export function isMinified(name: string): boolean {
  return name.length <= 7 && MINIFIED.test(name);
}
