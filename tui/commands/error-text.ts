import { Fault } from '../../core/event/fault.js';
import { neutralise } from '../format/visible.js';

/** What a person is told of an error, ended by a newline: a fault's sentence, the whole stack of anything else; both neutralised. */
export function errorText(error: unknown): string {
  const text =
    error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${text.split('\n').map(neutralise).join('\n')}\n`;
}
