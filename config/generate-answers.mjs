import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';
import { BANNER } from './generate-checks.mjs';

/** Definitions with a type in the source, by module. */
const IMPORTED = {
  '../core/event/ids.js': ['EventId', 'FingerprintValue', 'IssueId'],
  '../core/event/json.js': ['JsonValue'],
  '../core/event/normalized-event.js': ['NormalizedEvent'],
  '../core/event/note.js': ['EventNote'],
  '../core/event/raw-payload.js': ['RawPayload'],
  '../core/fingerprint/fingerprint.js': ['FingerprintBasis'],
  '../core/fingerprint/grouping-settings.js': ['GroupingRule'],
};
/** Definitions without a type: only the OpenAPI document needs them. */
const DOCUMENTED = ['GroupingChoice', 'Problem'];
/** Responses that the terminal reads over HTTP. */
const CHECKED = [
  'Access',
  'DecidedSuggestion',
  'EventDetail',
  'EventPage',
  'EventSearchPage',
  'EventsSummary',
  'FieldValues',
  'IssuesSince',
  'ReleaseDetail',
  'Releases',
  'ReleaseSummary',
  'GroupingComparison',
  'IssueCounts',
  'IssueDetail',
  'IssuePage',
  'IssueSummary',
  'RegroupJob',
  'RegroupPreview',
  'RegroupResult',
  'RejectedPage',
  'RejectedRecord',
  'Stats',
  'Suggestions',
];
/** For the document only: the terminal does not depend on bounds. */
const UNCHECKED = new Set(['description', 'minimum', 'maximum', 'minItems', 'maxItems', 'maxLength']);
/** Ids in responses are in lower case. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A module with the types of the definitions. */
export async function generateAnswerTypes({ $defs }, options) {
  const untyped = [...Object.values(IMPORTED).flat(), ...DOCUMENTED];
  const imports = Object.entries(IMPORTED).map(
    ([from, names]) => `import type { ${names.join(', ')} } from '${from}';`,
  );
  const types = [];
  for (const [name, schema] of Object.entries($defs)) {
    const named = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"tsType":"');
    if (!untyped.includes(name)) types.push(await compile(JSON.parse(named), name, { ...options, bannerComment: '' }));
  }
  return `${[options.bannerComment, ...imports].join('\n')}\n\n${types.join('\n')}`;
}

/** A module with a check for each response that the terminal reads; unknown members are allowed. */
export function generateAnswerChecks(schema) {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    formats: { uuid: UUID },
    code: { source: true, esm: true, lines: true },
  });
  const bounded = JSON.stringify(schema);
  ajv.addSchema(
    JSON.parse(bounded, (key, value) => (UNCHECKED.has(key) ? undefined : value)),
    'answers',
  );
  const exported = Object.fromEntries(CHECKED.map((name) => [`is${name}`, `answers#/$defs/${name}`]));
  const code = standalone.default(ajv, exported).replace('"use strict";\n', '');
  return `${BANNER}
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { ${CHECKED.join(', ')} } from './reader-answers.js';

${code.replaceAll(/^export const is(\w+) = /gm, 'export const is$1: ValidateFunction<$1> = ')}
`;
}

/** A module with the definitions as components of the OpenAPI document. */
export function generateOpenApiSchemas({ $defs }) {
  const schemas = JSON.stringify($defs, undefined, 2).replaceAll('"#/$defs/', '"#/components/schemas/');
  return `${BANNER}
import type { JsonObject } from '../core/event/json.js';

/** Requests and responses of the reading API. */
export const OPENAPI_SCHEMAS: JsonObject = ${schemas};
`;
}
