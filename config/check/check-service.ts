import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, entryOf, type MapEntry, type SourcePosition } from '../yaml/config-node.js';
import { dottedKey, type KeyPath } from '../yaml/key-path.js';
import { checkReferences, referencesIn } from './check-references.js';

interface ComponentKind {
  /** Name of one, for sentences. */
  kind: string;
  /** Key of the section that configures them, and of the list in a pipeline that refers to them. */
  section: string;
  /** Whether the configuration and every pipeline need one. */
  required: boolean;
}

const PIPELINE_KINDS: readonly ComponentKind[] = [
  { kind: 'receiver', section: 'receivers', required: true },
  { kind: 'processor', section: 'processors', required: false },
  { kind: 'exporter', section: 'exporters', required: true },
];

const PIPELINES: KeyPath = ['service', 'pipelines'];
const EXTENSIONS: KeyPath = ['service', 'extensions'];

/**
 * Checks what the schema cannot: that what is referred to is configured, and that every pipeline has two ends.
 * The sentences are the OpenTelemetry Collector's. Passes over what is of the wrong kind, which is the schema's to report.
 */
export function checkService(root: ConfigNode): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = (at: SourcePosition, path: KeyPath, message: string) => problems.push({ ...at, key: dottedKey(path), message });

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
  for (const [id, pipeline] of entriesOf(pipelines)) {
    const path = [...PIPELINES, id];
    for (const kind of PIPELINE_KINDS) {
      const list = entryOf(pipeline.value, kind.section);
      if (kind.required && pipeline.value.kind === 'map' && isEmpty(list)) {
        report(
          list?.keyAt ?? pipeline.keyAt,
          [...path, kind.section],
          `${path.join('::')}: must have at least one ${kind.kind}`,
        );
      }
      problems.push(...checkList(root, kind, list, [...path, kind.section]));
    }
  }
  const extensions = entryOf(service?.value, 'extensions');
  problems.push(
    ...checkList(root, { kind: 'extension', section: 'extensions', required: false }, extensions, EXTENSIONS),
  );
  return problems;
}

/** One warning for every configured component that nothing refers to, and which therefore does not run. */
export function findUnused(root: ConfigNode): ConfigProblem[] {
  const service = entryOf(root, 'service')?.value;
  const pipelines = [...entriesOf(entryOf(service, 'pipelines'))];
  const warnings: ConfigProblem[] = [];
  const warn = (section: string, used: readonly string[], message: string) => {
    for (const [id, { keyAt }] of entriesOf(entryOf(root, section))) {
      if (!used.includes(id)) warnings.push({ ...keyAt, key: dottedKey([section, id]), message });
    }
  };
  for (const { section } of PIPELINE_KINDS) {
    const used = pipelines.flatMap(([, pipeline]) => referencesIn(entryOf(pipeline.value, section)?.value));
    warn(section, used, 'is configured, but no pipeline names it, so it does not run');
  }
  const running = referencesIn(entryOf(service, 'extensions')?.value);
  warn('extensions', running, 'is configured, but service.extensions does not name it, so it does not run');
  return warnings;
}

function checkList(root: ConfigNode, kind: ComponentKind, list: MapEntry | undefined, path: KeyPath): ConfigProblem[] {
  const section = entryOf(root, kind.section);
  // Where a whole section is missing or not a map, every reference would repeat what was already reported of it.
  const unknown = (kind.required && isEmpty(section)) || (section !== undefined && section.value.kind !== 'map');
  if (unknown || list?.value.kind !== 'list') return [];
  return checkReferences(kind.kind, list.value, path, new Set([...entriesOf(section)].map(([id]) => id)));
}

/** Absent, or a map or list without anything in it. */
function isEmpty(entry: MapEntry | undefined): boolean {
  if (entry === undefined) return true;
  const { value } = entry;
  return (value.kind === 'map' && value.entries.size === 0) || (value.kind === 'list' && value.items.length === 0);
}

function entriesOf(entry: MapEntry | undefined): Iterable<[string, MapEntry]> {
  return entry?.value.kind === 'map' ? entry.value.entries : [];
}
