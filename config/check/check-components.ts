import type { ConfigProblem } from '../config-error.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { type ConfigNode, dottedKey, entryOf, type KeyPath } from '../yaml/config-node.js';
import { referenceOf, referencesIn } from './check-references.js';

const AUTH_KEYS: readonly string[] = ['auth', 'actions_auth'];
const AUTHENTICATOR = 'authenticator';
const TYPE = /^bearertokenauth(?:\/|$)/;

interface Authenticators {
  /** Ids in the section `extensions`. */
  readonly configured: readonly string[];
  /** Ids in `service.extensions`. */
  readonly running: readonly string[];
}

/** Checks that every `auth.authenticator` and `actions_auth.authenticator` names a running `bearertokenauth` extension. */
export function checkAuthenticators(root: ConfigNode): ConfigProblem[] {
  const extensions = entryOf(root, 'extensions');
  // A section that is not a map is reported by the schema; its references would repeat that.
  if (extensions !== undefined && extensions.value.kind !== 'map') return [];
  const known: Authenticators = {
    configured: extensions?.value.kind === 'map' ? [...extensions.value.entries.keys()] : [],
    running: referencesIn(entryOf(entryOf(root, 'service')?.value, 'extensions')?.value),
  };
  return ['receivers', 'extensions'].flatMap((section) => {
    const components = entryOf(root, section)?.value;
    if (components?.kind !== 'map') return [];
    return [...components.entries].flatMap(([id, { value }]) =>
      referencesBelow(value, [section, id]).flatMap(({ node, path, name }) => {
        const fault = faultOf(name, known);
        if (fault === undefined) return [];
        return [{ ...node.at, key: dottedKey(path), ...fault, message: `${section}::${id}: ${fault.message}` }];
      }),
    );
  });
}

interface Reference {
  readonly node: ConfigNode;
  readonly path: KeyPath;
  readonly name: string;
}

function referencesBelow(node: ConfigNode, path: KeyPath): Reference[] {
  if (node.kind !== 'map') return [];
  return [...node.entries].flatMap(([key, { value }]) => {
    if (!AUTH_KEYS.includes(key)) return referencesBelow(value, [...path, key]);
    const node = entryOf(value, AUTHENTICATOR)?.value;
    const name = node === undefined ? undefined : referenceOf(node);
    return node === undefined || !name ? [] : [{ node, path: [...path, key, AUTHENTICATOR], name }];
  });
}

function faultOf(
  name: string,
  { configured, running }: Authenticators,
): Pick<ConfigProblem, 'message' | 'suggestion'> | undefined {
  const prefix = `references authenticator ${quoted(name)}`;
  if (!configured.includes(name)) {
    const candidates = configured.filter((id) => TYPE.test(id));
    return { message: `${prefix} which is not configured`, suggestion: closest(name, candidates) };
  }
  if (!TYPE.test(name)) return { message: `${prefix} which is not an extension of type bearertokenauth` };
  if (!running.includes(name))
    return { message: `${prefix} which service.extensions does not name, so it does not run` };
  return undefined;
}

/** A check that JSON Schema cannot express, with the sentence of the OpenTelemetry Collector. */
interface ComponentRule {
  readonly section: string;
  readonly type: string;
  /** Undefined if the settings are valid; `key` is a setting of the component. */
  readonly faultOf: (settings: ConfigNode) => { readonly key?: string; readonly message: string } | undefined;
}

const RULES: readonly ComponentRule[] = [
  {
    section: 'receivers',
    type: 'otlp',
    faultOf(settings) {
      const protocols = entryOf(settings, 'protocols');
      if (protocols === undefined || protocols.value.kind !== 'map' || protocols.value.entries.size > 0)
        return undefined;
      return { key: 'protocols', message: 'must specify at least one protocol when using the OTLP receiver' };
    },
  },
  {
    section: 'extensions',
    type: 'bearertokenauth',
    faultOf(settings) {
      const tokens = entryOf(settings, 'tokens')?.value;
      const hasTokens = tokens !== undefined && (tokens.kind !== 'list' || tokens.items.length > 0);
      if (hasTokens || ['token', 'filename'].some((key) => entryOf(settings, key) !== undefined)) return undefined;
      return { message: 'no bearer token provided; expected token, tokens or filename' };
    },
  },
];

/** Checks combinations of settings in a component. Skips values of the wrong type, which the schema reports. */
export function checkComponents(root: ConfigNode): ConfigProblem[] {
  return RULES.flatMap(({ section, type, faultOf }) => {
    const components = entryOf(root, section)?.value;
    if (components?.kind !== 'map') return [];
    return [...components.entries].flatMap(([id, { value }]) => {
      if (value.kind !== 'map' || (id !== type && !id.startsWith(`${type}/`))) return [];
      const fault = faultOf(value);
      if (fault === undefined) return [];
      const { key, message } = fault;
      const at = key === undefined ? value.at : (entryOf(value, key)?.value.at ?? value.at);
      const path = key === undefined ? [section, id] : [section, id, key];
      return [{ ...at, key: dottedKey(path), message: `${section}::${id}: ${message}` }];
    });
  });
}
