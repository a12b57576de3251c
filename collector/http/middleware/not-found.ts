import type { RequestHandler } from 'express';
import { distance } from 'fastest-levenshtein';
import { quoted } from '../../../config/values/printable.js';
import { cutText } from '../../../core/event/text.js';
import { RequestFault } from '../messages/http-fault.js';
import { requestPath } from '../messages/request-path.js';

/** Longer paths are compared by their beginning. */
const MAX_LENGTH = 200;

/** Creates the last middleware, for paths that nothing serves. `knownPaths` have `{name}` for a parameter. Fault: `PATH_NOT_FOUND`, which names the nearest of them. */
export function notFound(knownPaths: readonly string[]): RequestHandler {
  return (request) => {
    const asked = cutText(requestPath(request), MAX_LENGTH);
    const nearest = nearestPath(asked, knownPaths);
    const hint = nearest === undefined ? '' : `; the nearest path is ${nearest}`;
    throw new RequestFault('PATH_NOT_FOUND', `nothing is served at ${quoted(asked)}${hint}`, {
      members: nearest === undefined ? {} : { nearest },
    });
  };
}

/** Of several equally near paths the first. */
function nearestPath(asked: string, knownPaths: readonly string[]): string | undefined {
  const parts = asked.split('/');
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const path of knownPaths) {
    const edits = distance(asked.toLowerCase(), filled(path, parts).toLowerCase());
    if (edits < fewest) [nearest, fewest] = [path, edits];
  }
  return nearest;
}

/** Puts the parts that were asked for in the place of parameters. */
function filled(path: string, parts: readonly string[]): string {
  return path
    .split('/')
    .map((part, index) => (part.startsWith('{') ? parts[index] || part : part))
    .join('/');
}
