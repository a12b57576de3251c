import { RE2JS, RE2JSException } from 're2js';

/** A regular expression of an operator: RE2 syntax, which is matched in time that grows with the text's length only. */
export type Re2Pattern = RE2JS;

/** Compiles a pattern, or says in a sentence why it is none. */
export function compileRe2(pattern: string): Re2Pattern | { readonly problem: string } {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    return { problem: `is no regular expression in RE2 syntax: ${reason}` };
  }
}

/** Whether compiling gave a pattern. */
export function isRe2(compiled: Re2Pattern | { readonly problem: string }): compiled is Re2Pattern {
  return !('problem' in compiled);
}

/** A pattern that the configuration check has let through. Throws RangeError for others. */
export function checkedRe2(pattern: string): Re2Pattern {
  const compiled = compileRe2(pattern);
  if (!isRe2(compiled)) throw new RangeError(`${JSON.stringify(pattern)} ${compiled.problem}`);
  return compiled;
}
