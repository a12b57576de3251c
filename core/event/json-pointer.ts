import { cutText } from './text.js';

const MAX_UNITS = 256;

/** The JSON pointer (RFC 6901) of a path, cut to 256 UTF-16 units because keys of senders may have any length. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return cutText(path.map(pointerStep).join(''), MAX_UNITS);
}

function pointerStep(step: string | number): string {
  return `/${cutText(String(step), MAX_UNITS).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
