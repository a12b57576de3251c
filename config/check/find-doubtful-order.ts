import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, entryOf } from '../yaml/config-node.js';
import { dottedKey } from '../yaml/key-path.js';

/** Processors that count issues, and those that belong before them. */
const COUNTING = ['rate_limit', 'sample'];
const FILTERING = ['redaction', 'filter'];

/** One warning for every processor of a pipeline that stands in a place where it works less well than in another; all places are allowed. */
export function findOrderWarnings(root: ConfigNode): ConfigProblem[] {
  const pipelines = entryOf(entryOf(root, 'service')?.value, 'pipelines')?.value;
  if (pipelines?.kind !== 'map') return [];
  return [...pipelines.entries].flatMap(([id, pipeline]) => {
    const list = entryOf(pipeline.value, 'processors')?.value;
    if (list?.kind !== 'list') return [];
    const types = list.items.map(typeOf);
    return list.items.flatMap((item, index) => {
      const message = warningOf(types, index);
      const key = dottedKey(['service', 'pipelines', id, 'processors', index]);
      return message === undefined ? [] : [{ ...item.at, key, message }];
    });
  });
}

function warningOf(types: readonly string[], index: number): string | undefined {
  const type = types[index];
  if (type === 'memory_limiter' && index > 0) {
    return 'memory_limiter belongs first: what stands before it works on events that it then refuses';
  }
  const later = FILTERING.filter((other) => types.indexOf(other, index + 1) !== -1);
  if (type === undefined || !COUNTING.includes(type) || later.length === 0) return undefined;
  return `${type} belongs behind ${later.join(' and ')}: it tells issues apart by what those take out, and counts what they drop`;
}

function typeOf(item: ConfigNode): string {
  const id = item.kind === 'scalar' && typeof item.value === 'string' ? item.value : '';
  return id.split('/', 1)[0] ?? '';
}
