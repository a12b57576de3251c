import { basename, extname } from 'node:path';

/** What rotation puts behind or into a name: a number, a date or a time, and compressed or old copies. */
const ROTATION = /[-._](?:\d{1,14}|\d{4}-\d{2}-\d{2}(?:[-_T]\d{2}[-:.]?\d{2}(?:[-:.]?\d{2})?)?|old|bak|gz)$/;

/** Docker names files by the id of the container, which says nothing about the program. */
const DOCKER_FILE = /^[0-9a-f]{64}-json\.log/;

/** The name of the service that writes a file: the file's name without its extension and what rotation added, `api` of `/var/log/api.log.1`. */
export function serviceNameOf(path: string): string {
  const whole = basename(path);
  if (DOCKER_FILE.test(whole)) return 'docker';
  const bare = withoutRotation(whole);
  const name = withoutRotation(bare.slice(0, bare.length - extname(bare).length));
  return name === '' ? whole : name;
}

function withoutRotation(name: string): string {
  let rest = name;
  for (let match = ROTATION.exec(rest); match !== null && match.index > 0; match = ROTATION.exec(rest)) {
    rest = rest.slice(0, match.index);
  }
  return rest;
}
