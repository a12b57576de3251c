import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { JsonObject } from '../../../core/event/json.js';
import { ownValue } from '../../../core/event/own-property.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Steps } from '../steps.js';
import { copyMembers } from './replace-members.js';
import { withSummary } from './summary.js';
import type { Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';
import type { ValueRedactor } from './value-redactor.js';

const FIELDS = ['error_name', 'message', 'request_id', 'route', 'session_id', 'stack', 'user_id'] as const;

/**
 * The payload without secrets; the same object where there are none. The names of apps, environments and services, releases, levels, methods and times
 * are not looked at: they are what events are found by.
 */
export function* redactPayload(
  payload: RawPayload,
  {
    texts,
    values,
    summary,
  }: { texts: TextRedactor; values: ValueRedactor; summary: RedactionProcessorSettings['summary'] },
  tally: Tally,
): Steps<RawPayload> {
  let copy: RawPayload | undefined;
  for (const field of FIELDS) {
    const value = payload[field];
    if (value === null) continue;
    const result = value.length > LONG_TEXT ? yield* texts.partsInSteps(value, tally) : texts.parts(value, tally);
    if (result === value) continue;
    tally.listMasked('', field);
    copy ??= { ...payload };
    copy[field] = result;
  }
  const tags = yield* values.tags(payload.tags, tally);
  const extra = payload.extra === null ? null : yield* values.extra(payload.extra, tally);
  if (copy === undefined && tags === payload.tags && extra === payload.extra) return payload;
  copy ??= { ...payload };
  copy.tags = tags;
  copy.extra = extra;
  if (summary === 'silent') return copy;
  const own: JsonObject =
    extra === null ? {} : extra === payload.extra ? yield* copyMembers(extra, Object.keys(extra)) : extra;
  own['faultline'] = yield* withSummary(ownValue(own, 'faultline'), tally, summary);
  copy.extra = own;
  return copy;
}
