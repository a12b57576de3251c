import { cutText } from '../event/cut-text.js';

const MAX_TITLE = 256;

/** What a person reads in a list: type and message, or what is there of them; without a message the culprit, where one is given. All come as plain text. */
export function titleOf(type: string, isNameless: boolean, firstLine: string, culprit: string | null): string {
  if (firstLine !== '') return cutTitle(isNameless ? firstLine : `${type}: ${firstLine}`);
  const name = type === '' ? 'Unnamed failure' : type;
  return cutTitle(culprit === null ? name : `${name} in ${culprit}`);
}

function cutTitle(title: string): string {
  return title.length <= MAX_TITLE ? title : `${cutText(title, MAX_TITLE - 1)}…`;
}
