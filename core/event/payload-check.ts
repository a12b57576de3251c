import { _, Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { PayloadLimits } from './payload-limits.js';
import type { PayloadRejection } from './payload-rejection.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from './raw-payload.js';

/** Tells whether a value has the 17 keys of a payload with their types; it does not look for further keys. */
export type PayloadCheck = ValidateFunction<RawPayload>;

/**
 * Compiles the check: of the types alone, or with `limits` also of the lengths of top-level strings and tag values.
 * Slow (milliseconds); done once.
 */
export function compilePayloadCheck(limits?: PayloadLimits): PayloadCheck {
  // The schema is ours and strict mode still reads it: compiling the meta-schema beside it takes a tenth of the collector's start.
  const ajv = new Ajv2020({ allowUnionTypes: true, validateSchema: false, meta: false });
  // `maxLength` counts code points, which makes the whole check ten times slower; lengths are UTF-16 units everywhere in Faultline.
  ajv.addKeyword({
    keyword: 'maxUnits',
    type: 'string',
    schemaType: 'number',
    code: (context) => context.fail(_`${context.data}.length > ${context.schemaCode}`),
  });
  return ajv.compile<RawPayload>(payloadSchema(limits));
}

function payloadSchema(limits: PayloadLimits | undefined): object {
  const string = limits === undefined ? {} : { maxUnits: limits.maxStringLength };
  const stack = limits === undefined ? {} : { maxUnits: limits.maxStackLength };
  const required = { type: 'string', ...string };
  const nullable = { type: ['string', 'null'], ...string };
  return {
    type: 'object',
    required: RAW_PAYLOAD_KEYS,
    // The first property that fails is the one that is reported: `message` leads, because its lack says most to a sender.
    properties: {
      message: required,
      error_name: required,
      route: required,
      app: required,
      service: required,
      env: required,
      tags: { type: 'object', additionalProperties: required },
      extra: { type: ['object', 'null'] },
      level: nullable,
      method: nullable,
      release: nullable,
      request_id: nullable,
      session_id: nullable,
      stack: { type: ['string', 'null'], ...stack },
      status_code: {
        type: ['integer', 'null'],
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      timestamp: nullable,
      user_id: nullable,
    },
  };
}

/** Why the check's last value failed. */
export function rejectionOf(check: PayloadCheck): PayloadRejection {
  const error = check.errors?.[0];
  return { field: error?.instancePath ?? '', code: 'EVENT_INVALID', reason: error?.message ?? 'must be a payload' };
}
