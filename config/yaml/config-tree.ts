import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml';
import type { ConfigProblem } from '../config-error.js';
import { quoted } from '../values/printable.js';
import {
  type ConfigNode,
  createList,
  createMap,
  createScalar,
  describeNode,
  type MapEntry,
  type SourcePosition,
} from './config-node.js';
import { dottedKey, type KeyPath } from './key-path.js';
import { splitKey, expandKeys } from './merge-nodes.js';
import { parseYaml } from './parse-yaml.js';
import { type Environment, type ReadReferencedFile, type Substitution, substitute } from './substitute.js';

/** One YAML text as a tree whose every value knows where it was written, with aliases followed and `${…}` replaced. */
export interface ConfigTree {
  /** Undefined if the text is empty, is not YAML, or holds no map where it must. */
  root: ConfigNode | undefined;
  problems: ConfigProblem[];
  warnings: ConfigProblem[];
}

/** What the reading of a text may use beyond the environment. */
export interface TreeOptions {
  /** Reads what `${file:PATH}` names; default: such references are refused. */
  readFile?: ReadReferencedFile | undefined;
  /** Whether what stands at a path must not be repeated in a sentence; default nothing. */
  isSecret?: (path: KeyPath) => boolean;
}

interface ParseState extends ConfigTree, TreeOptions {
  /** Undefined while a variable's value is read, in which `${…}` has no meaning. */
  env: Environment | undefined;
  placeOf: (offset: number) => SourcePosition;
  /** Undefined for an anchor whose value is still being read. */
  anchors: Map<string, ConfigNode | undefined>;
}

const EMPTY = 'empty configuration file';
/** No configuration comes near it; an alias bomb does. */
const MAX_VALUES = 10_000;

/** Reads a configuration file; `name` is the source of its problems. */
export function readFileTree(name: string, text: string, env: Environment, options: TreeOptions = {}): ConfigTree {
  // A byte order mark is allowed (YAML 1.2, 5.2) and has no column of its own.
  const { contents, problems, positionOf } = parseYaml(text.replace(/^\ufeff/, ''));
  const placeOf = (offset: number): SourcePosition => ({ source: name, ...positionOf(offset) });
  const reading: ParseState = { ...emptyTree(), ...options, env, placeOf, anchors: new Map() };
  reading.problems.push(...problems.map((problem) => ({ source: name, key: '', ...problem })));
  if (contents !== undefined) {
    const root = convertValue(reading, contents, []);
    if (root.kind === 'map') reading.root = expandKeys(root, reading.warnings);
    else if (!root.reported) report(reading.problems, root.at, [], faultOfRoot(root));
  } else if (problems.length === 0) {
    report(reading.problems, placeOf(0), [], EMPTY);
  }
  return treeOf(reading);
}

/** Text between two marks of documents may be nothing. */
function faultOfRoot(root: ConfigNode): string {
  const isNothing = root.kind === 'scalar' && root.value === null;
  return isNothing ? EMPTY : `expected sections, found ${describeNode(root)}`;
}

/** Reads a value that stands outside a file; a text that is not YAML is a string. Every value of it is placed at `at`. */
export function parseValueTree(
  text: string,
  at: SourcePosition,
  path: KeyPath,
  env: Environment,
  options: TreeOptions = {},
): ConfigTree {
  const { contents, problems } = parseYaml(text);
  const reading: ParseState = { ...emptyTree(), ...options, env, placeOf: () => at, anchors: new Map() };
  if (contents !== undefined) reading.root = convertValue(reading, contents, path);
  else if (problems.length > 0) reading.root = convertString(reading, at, text, path, false);
  else reading.root = createScalar(at, null);
  return treeOf(reading);
}

function treeOf({ root, problems, warnings }: ParseState): ConfigTree {
  return { root, problems, warnings };
}

function emptyTree(): ConfigTree {
  return { root: undefined, problems: [], warnings: [] };
}

function convertValue(reading: ParseState, node: ParsedNode, path: KeyPath): ConfigNode {
  const at = reading.placeOf(node.range[0]);
  if (isAlias(node)) return resolveAlias(reading, node.source, at, path);
  const { anchor } = node;
  if (anchor !== undefined) reading.anchors.set(anchor, undefined);
  const value = bounded(reading, convertContent(reading, node, at, path), path);
  if (anchor !== undefined) reading.anchors.set(anchor, value);
  return value;
}

function convertContent(reading: ParseState, node: ParsedNode, at: SourcePosition, path: KeyPath): ConfigNode {
  if (isMap(node)) return createMap(at, convertEntries(reading, node.items, path));
  if (isSeq(node)) {
    const items = node.items.map((item, index) => convertValue(reading, item, [...path, index]));
    return createList(at, items);
  }
  return isScalar(node) ? convertScalar(reading, node, at, path) : createScalar(at, null);
}

function convertEntries(
  reading: ParseState,
  pairs: readonly { key: ParsedNode; value: ParsedNode | null }[],
  path: KeyPath,
): Map<string, MapEntry> {
  const entries = new Map<string, MapEntry>();
  for (const { key, value } of pairs) {
    const keyAt = reading.placeOf(key.range[0]);
    const name = convertKey(reading, key, keyAt, path);
    if (name === undefined) continue;
    const keyPath = path.length === 0 ? splitKey(name) : [...path, name];
    const first = entries.get(name);
    if (first !== undefined) {
      const where = first.keyAt.line === undefined ? '' : `; the first is on line ${first.keyAt.line}`;
      report(reading.problems, keyAt, keyPath, `the key stands here a second time${where}`);
      continue;
    }
    const node = value === null ? createScalar(keyAt, null) : convertValue(reading, value, keyPath);
    entries.set(name, { keyAt, value: node });
  }
  return entries;
}

function convertKey(reading: ParseState, key: ParsedNode, at: SourcePosition, path: KeyPath): string | undefined {
  const refuse = (message: string): undefined => report(reading.problems, at, path, message);
  if (!isScalar(key)) return refuse('expected a plain word as key, found something else');
  if (key.anchor !== undefined) reading.anchors.set(key.anchor, createScalar(at, key.source));
  if (key.value === null) return refuse('expected a key before the colon, found nothing');
  if (key.value === '<<' && key.type === 'PLAIN') {
    return refuse('merge keys (<<) are not supported; an alias may stand for a whole value, not for a part of one');
  }
  return typeof key.value === 'string' ? key.value : key.source;
}

function resolveAlias(reading: ParseState, name: string, at: SourcePosition, path: KeyPath): ConfigNode {
  const value = reading.anchors.get(name);
  if (value !== undefined) return value;
  const open = reading.anchors.has(name);
  const what = open ? 'stands inside the value that it stands for' : 'has no anchor before it';
  const which = reading.isSecret?.(path) ? 'an alias' : `the alias ${quoted(`*${name}`)}`;
  report(reading.problems, at, path, `${which} ${what}`);
  return broken(at);
}

function convertScalar(reading: ParseState, node: Scalar.Parsed, at: SourcePosition, path: KeyPath): ConfigNode {
  const { value } = node;
  if (typeof value === 'string') return convertString(reading, at, value, path, node.type === 'PLAIN');
  if (typeof value === 'number' || typeof value === 'boolean') return createScalar(at, value, node.source);
  return createScalar(at, null);
}

function convertString(reading: ParseState, at: SourcePosition, written: string, path: KeyPath, isPlain: boolean): ConfigNode {
  if (reading.env === undefined || !written.includes('$')) return createScalar(at, written);
  const substitution = substitute(written, reading.env, reading.readFile);
  const { text, isWhole: whole, problems, warnings } = substitution;
  for (const { message, withoutText: discreet } of problems) {
    report(reading.problems, at, path, reading.isSecret?.(path) ? (discreet ?? message) : message);
  }
  for (const warning of warnings) report(reading.warnings, at, path, warning);
  if (problems.length > 0) return broken(at);
  return whole && isPlain ? convertSubstituted(reading, at, substitution, path) : createScalar(at, text);
}

/**
 * What a variable or a file holds, as YAML, and as its own text where that is none. Maps and lists of a file are placed in it, where they are
 * mended; a file of several lines that is not YAML is a mistake, not a text.
 */
function convertSubstituted(reading: ParseState, at: SourcePosition, { text, file }: Substitution, path: KeyPath): ConfigNode {
  const { contents, problems, positionOf } = parseYaml(text);
  const placeOf = (offset: number): SourcePosition => (file === undefined ? at : { source: file, ...positionOf(offset) });
  const { isSecret = () => false } = reading;
  const inner: ParseState = { ...emptyTree(), env: undefined, isSecret, placeOf, anchors: new Map() };
  const value = contents === undefined ? createScalar(at, null) : convertValue(inner, contents, path);
  const faults = [
    ...problems.map((problem) => ({ source: file ?? at.source, key: '', ...problem })),
    ...inner.problems,
  ];
  if (faults.length > 0 && file !== undefined && text.includes('\n')) {
    reading.problems.push(...faults);
    return broken(at);
  }
  if (faults.length > 0) return { ...createScalar(at, text), substituted: text };
  return { ...value, ...(value.kind === 'scalar' && { at }), substituted: text };
}

function bounded(reading: ParseState, node: ConfigNode, path: KeyPath): ConfigNode {
  if (node.size <= MAX_VALUES) return node;
  report(reading.problems, node.at, path, `holds more than ${MAX_VALUES} values, those of aliases counted at each use`);
  return broken(node.at);
}

/** Stands for a value that a problem was already reported of. */
function broken(at: SourcePosition): ConfigNode {
  return { ...createScalar(at, null), reported: true };
}

function report(problems: ConfigProblem[], at: SourcePosition, path: KeyPath, message: string): undefined {
  problems.push({ ...at, key: dottedKey(path), message });
}
