import type { ConfigProblem } from '../config-error.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { type ConfigNode, dottedKey, entriesOf, entryOf, type KeyPath } from '../yaml/config-node.js';
import { referenceOf, referencesIn } from './check-references.js';

type Message = Pick<ConfigProblem, 'message' | 'suggestion'>;

const AUTH_KEYS: readonly string[] = ['auth', 'actions_auth'];
const AUTHENTICATOR = 'authenticator';
const TYPE = /^bearertokenauth(?:\/|$)/;

/** Checks that every `auth.authenticator` and `actions_auth.authenticator` names a running `bearertokenauth` extension. */
export function checkAuthenticators(root: ConfigNode): ConfigProblem[] {
  const extensions = entryOf(root, 'extensions');
  // A section that is not a map is reported by the schema; its references would repeat that.
  if (extensions !== undefined && extensions.value.kind !== 'map') return [];
  const configured = entriesOf(extensions).map(([id]) => id);
  const running = referencesIn(entryOf(entryOf(root, 'service')?.value, 'extensions')?.value);
  return ['receivers', 'extensions'].flatMap((section) =>
    entriesOf(entryOf(root, section)).flatMap(([id, { value }]) =>
      referencesBelow(value, [section, id]).flatMap(({ node, path, name }) => {
        const fault = faultOf(name, configured, running);
        return fault === undefined ? [] : [problemAt(node, path, fault)];
      }),
    ),
  );
}

function referencesBelow(node: ConfigNode, path: KeyPath): { node: ConfigNode; path: KeyPath; name: string }[] {
  if (node.kind !== 'map') return [];
  return [...node.entries].flatMap(([key, { value }]) => {
    if (!AUTH_KEYS.includes(key)) return referencesBelow(value, [...path, key]);
    const node = entryOf(value, AUTHENTICATOR)?.value;
    const name = node === undefined ? undefined : referenceOf(node);
    return node === undefined || !name ? [] : [{ node, path: [...path, key, AUTHENTICATOR], name }];
  });
}

function faultOf(name: string, configured: readonly string[], running: readonly string[]): Message | undefined {
  const prefix = `references authenticator ${quoted(name)}`;
  if (!configured.includes(name)) {
    const candidates = configured.filter((id) => TYPE.test(id));
    return { message: `${prefix} which is not configured`, suggestion: closest(name, candidates) };
  }
  if (!TYPE.test(name)) return { message: `${prefix} which is not an extension of type bearertokenauth` };
  if (running.includes(name)) return undefined;
  return { message: `${prefix} which service.extensions does not name, so it does not run` };
}

/** Checks what JSON Schema cannot express, with the sentences of the OpenTelemetry Collector. Skips values of the wrong type. */
export function checkComponents(root: ConfigNode): ConfigProblem[] {
  const receivers = entriesOf(entryOf(root, 'receivers')).flatMap(([id, { value }]) => {
    const protocols = entryOf(value, 'protocols')?.value;
    if (!/^otlp(?:\/|$)/.test(id) || protocols?.kind !== 'map' || protocols.entries.size > 0) return [];
    const message = 'must specify at least one protocol when using the OTLP receiver';
    return [problemAt(protocols, ['receivers', id, 'protocols'], { message })];
  });
  const extensions = entriesOf(entryOf(root, 'extensions')).flatMap(([id, { value }]) => {
    if (!TYPE.test(id) || value.kind !== 'map') return [];
    const tokens = entryOf(value, 'tokens')?.value;
    const hasTokens = tokens !== undefined && (tokens.kind !== 'list' || tokens.items.length > 0);
    if (hasTokens || ['token', 'filename'].some((key) => entryOf(value, key) !== undefined)) return [];
    const message = 'no bearer token provided; expected token, tokens or filename';
    return [problemAt(value, ['extensions', id], { message })];
  });
  return [...receivers, ...extensions];
}

function problemAt(node: ConfigNode, path: KeyPath, { message, suggestion }: Message): ConfigProblem {
  return { ...node.at, key: dottedKey(path), message: `${path[0]}::${path[1]}: ${message}`, suggestion };
}
