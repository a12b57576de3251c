import type { FoundFault } from '../../config/check/place-faults.js';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { Fault } from '../../core/event/fault.js';
import { parseCollectorUrl } from './collector-url.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Checks what the schema cannot: a source is a URL or a folder, is in its context once, and the default context exists.
 * Accepts any value; the schema reports values of a wrong type.
 */
export function checkContexts(written: unknown): FoundFault[] {
  const { contexts, default_context: chosen } = membersOf(written);
  const names = Object.keys(membersOf(contexts));
  const faults = Object.entries(membersOf(contexts)).flatMap(([name, sources]) =>
    checkSources(sources, ['contexts', name]),
  );
  if (typeof chosen !== 'string' || names.includes(chosen)) return faults;
  const meant = closest(chosen, names);
  const message = `expected the name of a context, found ${quoted(chosen)}, which contexts does not have`;
  return [...faults, { path: ['default_context'], message, ...(meant === undefined ? {} : { suggestion: meant }) }];
}

function checkSources(sources: unknown, path: readonly string[]): FoundFault[] {
  if (!Array.isArray(sources)) return [];
  const seen = new Map<string, number>();
  return sources.flatMap((source: unknown, index) => {
    const at = [...path, index];
    const members = membersOf(source);
    return [
      ...checkKind(source, at),
      ...checkUrl(members, at),
      ...checkToken(members, at),
      ...checkRepeated(members, index, seen, at),
    ];
  });
}

function checkKind(source: unknown, path: FoundFault['path']): FoundFault[] {
  if (!isMembers(source)) return [];
  const [hasUrl, hasData] = [source['url'] !== undefined, source['data'] !== undefined];
  if (hasUrl !== hasData) return [];
  return [{ path, message: `expected url or data, found ${hasUrl ? 'both' : 'neither'}` }];
}

function checkUrl({ url }: Members, path: FoundFault['path']): FoundFault[] {
  if (typeof url !== 'string' || url === '') return [];
  try {
    parseCollectorUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const wanted = 'an http or https address such as http://localhost:4319';
    const fault = { path: [...path, 'url'], message: `expected ${wanted}, found ${quoted(url)}` };
    return [url.includes('://') ? fault : { ...fault, suggestion: `http://${url}` }];
  }
}

function checkToken({ data, url, ...members }: Members, path: FoundFault['path']): FoundFault[] {
  if (data === undefined || url !== undefined) return [];
  return ['token_file', 'token_env'].flatMap((key) =>
    members[key] === undefined ? [] : [{ path: [...path, key], message: 'a data folder is read without a token' }],
  );
}

/** Names, addresses and paths must be unique in a context; `seen` maps those of earlier sources to their indexes. */
function checkRepeated(
  members: Members,
  index: number,
  seen: Map<string, number>,
  path: FoundFault['path'],
): FoundFault[] {
  return ['url', 'data', 'name'].flatMap((key) => {
    const value = members[key];
    if (typeof value !== 'string') return [];
    const first = seen.get(`${key} ${value}`);
    if (first === undefined) seen.set(`${key} ${value}`, index);
    return first === undefined
      ? []
      : [{ path: [...path, key], message: `${quoted(value)} is the ${key} of source [${first}] already` }];
  });
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}
