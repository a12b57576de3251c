import { cutText } from '../event/cut-text.js';

const MAX_TITLE = 256;

/** What a person reads in a list: name and message, or the one that is there. Both come as plain text. */
export function titleOf(errorName: string, isGenericName: boolean, firstLine: string): string {
  if (firstLine === '') return cutTitle(errorName === '' ? 'Unnamed failure' : errorName);
  return cutTitle(isGenericName ? firstLine : `${errorName}: ${firstLine}`);
}

function cutTitle(title: string): string {
  return title.length <= MAX_TITLE ? title : `${cutText(title, MAX_TITLE - 1)}…`;
}
