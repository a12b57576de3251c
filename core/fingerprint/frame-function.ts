import { GENERATED_MARKS } from './generated-names.js';

/** UTF-16 units of a function's name that count. */
const MAX_NAME = 256;

const ALIAS = / \[as [^\]]{0,200}\]$/;
const ADJECTIVES = /^(?:(?:async|new|get|set|static|bound) )+/;
const RECEIVER = /^(?:Object|Module|Function|global|globalThis|[Ww]indow|exports|self)\./;
const NOBODY = /^(?:|\?|anonymous|eval|native|<anonymous>|<lambda>|<unknown>|anonymous function|_callee\d*\$?)$/i;
/** What else is no name: comprehensions, numbers of modules in bundles, names of obfuscators and of unknown symbols. */
const NO_NAME =
  /^(?:<(?:listcomp|dictcomp|setcomp|genexpr|redacted|deduplicated_symbol|computed)>|\d+|_0x[0-9a-f]{2,12}|\?{2,3}|0x[0-9a-f]{4,16}|\(null\)|_?callee\$\w{0,20}|<compiler-generated>|__lldb_unnamed_symbol\w{0,40})$/i;
/** Names in which no mark of `GENERATED_MARKS` can be: each has a digit, a sign or an underscore, or stands behind a dot in lower case. */
const LETTERS = /^[A-Za-z]+$|^[A-Za-z]+\.[a-z]*[A-Z][A-Za-z]*$/;
const ANONYMOUS_MEMBER = /\.(?:<anonymous>|anonymous|\?)$/;
const MINIFIED = /^(?:[A-Za-z_$]{1,2}\d?\.)?[A-Za-z_$]{1,2}\d?$/;

/** A sign of one of the marks; most names have none. */
const MAY_HOLD_MARK =
  /[$<{`@[#·'/-]|__\d|\binit\.\d|(?:Accessor|Proxy|_closure|\.func|\.gowrap|\.deferwrap)\d|::h[0-9a-f]{16}|\bblock \(|_block_invoke|\.(?:constprop|isra|part|lto_priv|llvm|cold|localalias|resume|destroy|prototype)(?:\.|$)/;

/** A function's name without receivers, aliases and generated numbers; null when nothing is left that tells it from another. */
export function normalizeFunction(raw: string): string | null {
  let name = raw.length > MAX_NAME ? raw.slice(0, MAX_NAME) : raw;
  if (name.includes(' ')) name = name.replace(ALIAS, '').replace(ADJECTIVES, '');
  name = name.replace(RECEIVER, '');
  if (NOBODY.test(name) || ANONYMOUS_MEMBER.test(name)) return null;
  if (LETTERS.test(name)) return name;
  return NO_NAME.test(name) ? null : normalizeGenerated(name) || null;
}

/** A name of a class, module or function without the numbers that a compiler or a runtime gave it. */
export function normalizeGenerated(name: string): string {
  let rest = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  if (!MAY_HOLD_MARK.test(rest)) return rest;
  for (const { pattern, replacement } of GENERATED_MARKS) rest = rest.replace(pattern, replacement);
  return rest;
}

/** Whether a name of one or two letters was made by a minifier, which gives the next build another one. */
export function isMinified(name: string): boolean {
  return name.length <= 7 && MINIFIED.test(name);
}
