import { isNamelessError } from '../fingerprint/main-error.js';

/** The first line of a message after the error's name, which is left out if it says nothing, for example `Error`. */
export function failureTitle(errorName: string, message: string): string {
  const [firstLine = ''] = message.split(/[\r\n]/, 1);
  return isNamelessError(errorName) ? firstLine : `${errorName}: ${firstLine}`;
}
