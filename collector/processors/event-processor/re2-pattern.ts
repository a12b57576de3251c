import { RE2JS, RE2JSException } from 're2js';

/** A configured regular expression in RE2 syntax, which matches in linear time. */
export type Re2Pattern = RE2JS;

/** Compiles a pattern; returns the problem if it is invalid. */
export function compileRe2(pattern: string): Re2Pattern | { readonly problem: string } {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    return { problem: `is not a regular expression in RE2 syntax: ${reason}` };
  }
}

/** Compiles a pattern that the configuration check accepted; throws RangeError for others. */
export function checkedRe2(pattern: string): Re2Pattern {
  const compiled = compileRe2(pattern);
  if ('problem' in compiled) throw new RangeError(`${JSON.stringify(pattern)} ${compiled.problem}`);
  return compiled;
}
