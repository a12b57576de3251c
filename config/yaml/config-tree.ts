import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml';
import type { ConfigProblem } from '../config-error.js';
import { quoted } from '../values/printable.js';
import {
  type ConfigNode,
  createList,
  createMap,
  createScalar,
  describeNode,
  dottedKey,
  type KeyPath,
  type MapEntry,
  type SourcePosition,
} from './config-node.js';
import { expandKeys, splitKey } from './merge-nodes.js';
import { parseYaml } from './parse-yaml.js';
import { type Environment, type ReadReferencedFile, type Substitution, substitute } from './substitute.js';

/** A YAML text as a tree of values with positions, with aliases resolved and `${…}` replaced. */
export interface ConfigTree {
  /** Undefined if the text is empty or invalid. */
  root: ConfigNode | undefined;
  problems: ConfigProblem[];
  warnings: ConfigProblem[];
}

export interface TreeOptions {
  /** Reads the file of `${file:PATH}`. Default: such references are rejected. */
  readFile?: ReadReferencedFile | undefined;
  /** Whether messages must not repeat the value at a path. Default: they may. */
  isSecret?: (path: KeyPath) => boolean;
}

interface ParseState extends ConfigTree, TreeOptions {
  /** Undefined in the text of a variable or file, where `${…}` is not replaced. */
  env: Environment | undefined;
  positionAt: (offset: number) => SourcePosition;
  /** Undefined for an anchor whose value is not complete yet. */
  anchors: Map<string, ConfigNode | undefined>;
}

const EMPTY = 'empty configuration file';
/** Stops alias bombs. */
const MAX_VALUES = 10_000;

/** Parses a configuration file; `name` is the source in its problems. */
export function parseFileTree(name: string, text: string, env: Environment, options: TreeOptions = {}): ConfigTree {
  // YAML 1.2, 5.2 allows a byte order mark; it does not count as a column.
  const { contents, problems, positionOf } = parseYaml(text.replace(/^\ufeff/, ''));
  const positionAt = (offset: number): SourcePosition => ({ source: name, ...positionOf(offset) });
  const state = beginParse(env, positionAt, options);
  state.problems.push(...problems.map((problem) => ({ source: name, key: '', ...problem })));
  if (contents !== undefined) {
    const root = convertValue(state, contents, []);
    if (root.kind === 'map') state.root = expandKeys(root, state.warnings);
    else if (!root.reported) {
      const isNothing = root.kind === 'scalar' && root.value === null;
      const message = isNothing ? EMPTY : `expected a map of sections, found ${describeNode(root)}`;
      report(state.problems, root.at, [], message);
    }
  } else if (problems.length === 0) {
    report(state.problems, positionAt(0), [], EMPTY);
  }
  return state;
}

/** Parses a value from outside a file; a text that is not YAML is a string. All its values have the position `at`. */
export function parseValueTree(
  text: string,
  at: SourcePosition,
  path: KeyPath,
  env: Environment,
  options: TreeOptions = {},
): ConfigTree {
  const { contents, problems } = parseYaml(text);
  const state = beginParse(env, () => at, options);
  if (contents !== undefined) state.root = convertValue(state, contents, path);
  else if (problems.length > 0) state.root = convertString(state, at, text, path, false);
  else state.root = createScalar(at, null);
  return state;
}

function beginParse(
  env: Environment | undefined,
  positionAt: ParseState['positionAt'],
  options: TreeOptions,
): ParseState {
  return { root: undefined, problems: [], warnings: [], ...options, env, positionAt, anchors: new Map() };
}

function convertValue(state: ParseState, node: ParsedNode, path: KeyPath): ConfigNode {
  const at = state.positionAt(node.range[0]);
  if (isAlias(node)) return resolveAlias(state, node.source, at, path);
  const { anchor } = node;
  if (anchor !== undefined) state.anchors.set(anchor, undefined);
  const value = bounded(state, convertContent(state, node, at, path), path);
  if (anchor !== undefined) state.anchors.set(anchor, value);
  return value;
}

function convertContent(state: ParseState, node: ParsedNode, at: SourcePosition, path: KeyPath): ConfigNode {
  if (isMap(node)) return createMap(at, convertEntries(state, node.items, path));
  if (isSeq(node))
    return createList(
      at,
      node.items.map((item, index) => convertValue(state, item, [...path, index])),
    );
  return isScalar(node) ? convertScalar(state, node, at, path) : createScalar(at, null);
}

function convertEntries(
  state: ParseState,
  pairs: readonly { key: ParsedNode; value: ParsedNode | null }[],
  path: KeyPath,
): Map<string, MapEntry> {
  const entries = new Map<string, MapEntry>();
  for (const { key, value } of pairs) {
    const keyAt = state.positionAt(key.range[0]);
    const name = convertKey(state, key, keyAt, path);
    if (name === undefined) continue;
    const keyPath = path.length === 0 ? splitKey(name) : [...path, name];
    const first = entries.get(name);
    if (first !== undefined) {
      const where = first.keyAt.line === undefined ? '' : `; the first one is on line ${first.keyAt.line}`;
      report(state.problems, keyAt, keyPath, `duplicate key${where}`);
      continue;
    }
    const node = value === null ? createScalar(keyAt, null) : convertValue(state, value, keyPath);
    entries.set(name, { keyAt, value: node });
  }
  return entries;
}

function convertKey(state: ParseState, key: ParsedNode, at: SourcePosition, path: KeyPath): string | undefined {
  const refuse = (message: string): undefined => report(state.problems, at, path, message);
  if (!isScalar(key)) return refuse('expected a string as key');
  if (key.anchor !== undefined) state.anchors.set(key.anchor, createScalar(at, key.source));
  if (key.value === null) return refuse('expected a key before the colon, found nothing');
  if (key.value === '<<' && key.type === 'PLAIN') {
    return refuse('merge keys (<<) are not supported; use an alias for a whole value');
  }
  return typeof key.value === 'string' ? key.value : key.source;
}

function resolveAlias(state: ParseState, name: string, at: SourcePosition, path: KeyPath): ConfigNode {
  const value = state.anchors.get(name);
  if (value !== undefined) return value;
  const isOpen = state.anchors.has(name);
  const fault = isOpen ? 'is inside the value that it refers to' : 'has no anchor before it';
  const alias = state.isSecret?.(path) ? 'an alias' : `the alias ${quoted(`*${name}`)}`;
  report(state.problems, at, path, `${alias} ${fault}`);
  return reported(at);
}

function convertScalar(state: ParseState, node: Scalar.Parsed, at: SourcePosition, path: KeyPath): ConfigNode {
  const { value } = node;
  if (typeof value === 'string') return convertString(state, at, value, path, node.type === 'PLAIN');
  if (typeof value === 'number' || typeof value === 'boolean') return createScalar(at, value, node.source);
  return createScalar(at, null);
}

function convertString(
  state: ParseState,
  at: SourcePosition,
  written: string,
  path: KeyPath,
  isPlain: boolean,
): ConfigNode {
  if (state.env === undefined || !written.includes('$')) return createScalar(at, written);
  const substitution = substitute(written, state.env, state.readFile);
  const { text, isWhole, problems, warnings } = substitution;
  for (const { message, withoutText } of problems) {
    report(state.problems, at, path, state.isSecret?.(path) ? (withoutText ?? message) : message);
  }
  for (const warning of warnings) report(state.warnings, at, path, warning);
  if (problems.length > 0) return reported(at);
  return isWhole && isPlain ? convertSubstituted(state, at, substitution, path) : createScalar(at, text);
}

/** A variable or file as YAML, else as a string; a file of several lines must be YAML, and its maps and lists keep their positions. */
function convertSubstituted(
  state: ParseState,
  at: SourcePosition,
  { text, file }: Substitution,
  path: KeyPath,
): ConfigNode {
  const { contents, problems, positionOf } = parseYaml(text);
  const positionAt = (offset: number): SourcePosition =>
    file === undefined ? at : { source: file, ...positionOf(offset) };
  const { isSecret = () => false } = state;
  const inner = beginParse(undefined, positionAt, { isSecret });
  const value = contents === undefined ? createScalar(at, null) : convertValue(inner, contents, path);
  const faults = [
    ...problems.map((problem) => ({ source: file ?? at.source, key: '', ...problem })),
    ...inner.problems,
  ];
  if (faults.length > 0 && file !== undefined && text.includes('\n')) {
    state.problems.push(...faults);
    return reported(at);
  }
  if (faults.length > 0) return { ...createScalar(at, text), substituted: text };
  return { ...value, ...(value.kind === 'scalar' && { at }), substituted: text };
}

function bounded(state: ParseState, node: ConfigNode, path: KeyPath): ConfigNode {
  if (node.size <= MAX_VALUES) return node;
  report(state.problems, node.at, path, `has more than ${MAX_VALUES} values, counting each use of an alias`);
  return reported(node.at);
}

/** Replaces a value whose problem was reported. */
function reported(at: SourcePosition): ConfigNode {
  return { ...createScalar(at, null), reported: true };
}

function report(problems: ConfigProblem[], at: SourcePosition, path: KeyPath, message: string): undefined {
  problems.push({ ...at, key: dottedKey(path), message });
}
