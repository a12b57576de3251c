import type { FoundFault } from '../../../config/place-faults.js';
import type { RedactionProcessorSettings } from '../../../config/settings.js';
import { compileRe2, isRe2 } from '../re2-pattern.js';

const PATTERN_LISTS = ['ignored_key_patterns', 'blocked_key_patterns', 'blocked_values', 'allowed_values'] as const;

/** What only this processor can tell of its settings: patterns that cannot be compiled, and such that match everywhere. Paths begin at the settings. */
export function checkRedaction(settings: RedactionProcessorSettings): FoundFault[] {
  const faults = PATTERN_LISTS.flatMap((list) =>
    settings[list].flatMap((pattern, at): FoundFault[] => {
      const compiled = compileRe2(pattern);
      if (!isRe2(compiled)) return [{ path: [list, at], message: `${compiled.problem}.` }];
      // Nothing is left out by a mistake such as `(secret|)`, which stands everywhere.
      return compiled.test('')
        ? [{ path: [list, at], message: 'matches the empty text, and so everything; say what it is for.' }]
        : [];
    }),
  );
  if (settings.allow_all_keys && settings.allowed_keys.length > 0) {
    faults.push({ path: ['allowed_keys'], message: 'does nothing while allow_all_keys is true; set that to false.' });
  }
  return faults;
}
