import type { FoundFault } from '../../../config/place-faults.js';
import type { FilterProcessorSettings } from '../../../config/settings.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import { parseDropQuery } from './drop-queries.js';

/** Queries that cannot be read, or ask for what events do not have before they are stored. Paths begin at the settings. */
export function checkFilter({ drop }: FilterProcessorSettings): FoundFault[] {
  return drop.flatMap((text, at) => {
    try {
      parseDropQuery(text);
      return [];
    } catch (error) {
      if (!(error instanceof QueryFault)) throw error;
      return [{ path: ['drop', at], message: error.message }];
    }
  });
}
