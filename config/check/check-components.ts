import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, dottedKey, entryOf } from '../yaml/config-node.js';

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
