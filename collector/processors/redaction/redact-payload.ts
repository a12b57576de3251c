import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Steps } from '../steps.js';
import { withSummary } from './summary.js';
import type { Tally } from './tally.js';
import { LONG_TEXT, type TextRedactor } from './text-redactor.js';
import type { ValueRedactor } from './value-redactor.js';

const FIELDS = ['error_name', 'message', 'route'] as const;
const NULLABLE_FIELDS = ['request_id', 'session_id', 'stack', 'user_id'] as const;

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
    const result = value.length > LONG_TEXT ? yield* texts.partsInSteps(value, tally) : texts.parts(value, tally);
    if (result === value) continue;
    tally.listMasked(field);
    copy = { ...(copy ?? payload), [field]: result };
  }
  for (const field of NULLABLE_FIELDS) {
    const value = payload[field];
    if (value === null) continue;
    const result = value.length > LONG_TEXT ? yield* texts.partsInSteps(value, tally) : texts.parts(value, tally);
    if (result === value) continue;
    tally.listMasked(field);
    copy = { ...(copy ?? payload), [field]: result };
  }
  const tags = yield* values.tags(payload.tags, tally);
  if (tags !== payload.tags) copy = { ...(copy ?? payload), tags };
  const extra = payload.extra === null ? null : yield* values.extra(payload.extra, tally);
  if (extra !== payload.extra) copy = { ...(copy ?? payload), extra };
  if (copy === undefined || summary === 'silent') return copy ?? payload;
  return { ...copy, extra: withSummary(copy.extra, tally, summary) };
}
