import type { ConfigProblem } from '../config-error.js';
import {
  type ConfigNode,
  dottedKey,
  entriesOf,
  entryOf,
  type KeyPath,
  type MapEntry,
  type SourcePosition,
} from '../yaml/config-node.js';
import { checkReferences, referenceOf, referencesIn } from './check-references.js';

interface ComponentKind {
  /** Singular, for messages. */
  kind: string;
  /** Key of the section, and of the list in a pipeline. */
  section: string;
  /** Whether the configuration and every pipeline need at least one. */
  required: boolean;
}

const PIPELINE_KINDS: readonly ComponentKind[] = [
  { kind: 'receiver', section: 'receivers', required: true },
  { kind: 'processor', section: 'processors', required: false },
  { kind: 'exporter', section: 'exporters', required: true },
];

const PIPELINES: KeyPath = ['service', 'pipelines'];
const EXTENSIONS: KeyPath = ['service', 'extensions'];

/** Processors that count events by issue, and those that should come before them. */
const COUNTING = ['rate_limit', 'sample'];
const FILTERING = ['redaction', 'filter'];

/** Checks references, and that every pipeline has a receiver and an exporter. The schema reports values of the wrong type. */
export function checkService(root: ConfigNode): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = (at: SourcePosition, path: KeyPath, message: string) =>
    problems.push({ ...at, key: dottedKey(path), message });

  for (const { kind, section, required } of PIPELINE_KINDS) {
    const entry = entryOf(root, section);
    if (required && isEmpty(entry))
      report(entry?.keyAt ?? root.at, [section], `no ${kind} configuration specified in config`);
  }
  const service = entryOf(root, 'service');
  const pipelines = entryOf(service?.value, 'pipelines');
  if (isEmpty(service) || isEmpty(pipelines)) {
    const at = pipelines?.keyAt ?? service?.keyAt ?? root.at;
    report(at, PIPELINES, 'service::pipelines: service must have at least one pipeline');
  }
  for (const [id, pipeline] of entriesOf(pipelines)) problems.push(...checkPipeline(root, id, pipeline));
  const extensions = entryOf(service?.value, 'extensions');
  const kind = { kind: 'extension', section: 'extensions', required: false };
  return [...problems, ...checkList(root, kind, extensions, EXTENSIONS)];
}

function checkPipeline(root: ConfigNode, id: string, pipeline: MapEntry): ConfigProblem[] {
  const path = [...PIPELINES, id];
  return PIPELINE_KINDS.flatMap((kind) => {
    const list = entryOf(pipeline.value, kind.section);
    const listPath = [...path, kind.section];
    if (!kind.required || pipeline.value.kind !== 'map' || !isEmpty(list)) return checkList(root, kind, list, listPath);
    const message = `${path.join('::')}: must have at least one ${kind.kind}`;
    return [{ ...(list?.keyAt ?? pipeline.keyAt), key: dottedKey(listPath), message }];
  });
}

/** Warnings for components that are not used, and for processors in an order that works less well than another. */
export function findServiceWarnings(root: ConfigNode): ConfigProblem[] {
  const service = entryOf(root, 'service')?.value;
  const pipelines = entriesOf(entryOf(service, 'pipelines'));
  const unused = (section: string, used: readonly string[], message: string): ConfigProblem[] =>
    entriesOf(entryOf(root, section))
      .filter(([id]) => !used.includes(id))
      .map(([id, { keyAt }]) => ({ ...keyAt, key: dottedKey([section, id]), message }));
  const inPipelines = PIPELINE_KINDS.flatMap(({ section }) => {
    const used = pipelines.flatMap(([, pipeline]) => referencesIn(entryOf(pipeline.value, section)?.value));
    return unused(section, used, 'is configured but no pipeline names it, so it does not run');
  });
  const running = referencesIn(entryOf(service, 'extensions')?.value);
  const idle = 'is configured but service.extensions does not name it, so it does not run';
  const order = pipelines.flatMap(([id, { value }]) =>
    findOrderWarnings(entryOf(value, 'processors')?.value, [...PIPELINES, id, 'processors']),
  );
  return [...inPipelines, ...unused('extensions', running, idle), ...order];
}

function findOrderWarnings(list: ConfigNode | undefined, path: KeyPath): ConfigProblem[] {
  if (list?.kind !== 'list') return [];
  const types = list.items.map((item) => referenceOf(item)?.split('/', 1)[0] ?? '');
  return list.items.flatMap((item, index) => {
    const message = orderWarning(types, index);
    return message === undefined ? [] : [{ ...item.at, key: dottedKey([...path, index]), message }];
  });
}

function orderWarning(types: readonly string[], index: number): string | undefined {
  const type = types[index];
  if (type === 'memory_limiter' && index > 0) {
    return 'memory_limiter should be first: processors before it work on events that it then refuses';
  }
  const later = FILTERING.filter((other) => types.indexOf(other, index + 1) !== -1);
  if (type === undefined || !COUNTING.includes(type) || later.length === 0) return undefined;
  return `${type} should be after ${later.join(' and ')}, or it counts events that are changed or dropped later`;
}

function checkList(root: ConfigNode, kind: ComponentKind, list: MapEntry | undefined, path: KeyPath): ConfigProblem[] {
  const section = entryOf(root, kind.section);
  // A section that is missing or not a map was reported; its references would repeat that.
  const unknown = (kind.required && isEmpty(section)) || (section !== undefined && section.value.kind !== 'map');
  if (unknown || list?.value.kind !== 'list') return [];
  return checkReferences(kind.kind, list.value, path, new Set(entriesOf(section).map(([id]) => id)));
}

function isEmpty(entry: MapEntry | undefined): boolean {
  if (entry === undefined) return true;
  const { value } = entry;
  return (value.kind === 'map' && value.entries.size === 0) || (value.kind === 'list' && value.items.length === 0);
}
