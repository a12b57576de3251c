import type { ChosenGrouping } from '../../core/regrouping.js';
import type { RegroupResult } from '../../core/storage/regroup/regroup.js';
import type { PreviewChange, PreviewIssue, RegroupPreview } from '../../core/storage/regroup/regroup-preview.js';
import { isBoolean, isNumber, isOneOf, isString, listOf, orNull, recordOf, type Shape } from './check.js';
import { isEventId, isFingerprint, isIssueId, isJsonValue, isText } from './value-checks.js';

/** What a collector tells about its last regrouping; `result` is checked by who knows what was asked for. */
interface JobAnswer {
  state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled';
  id: string | null;
  progress: { done_events: number; total_events: number } | null;
  grouping: ChosenGrouping | null;
  result: unknown;
  error: { code: string; detail: string } | null;
}

/** `GET /regroup`. */
export const isRegroupJob = recordOf<JobAnswer>({
  state: isOneOf('idle', 'running', 'done', 'failed', 'cancelled'),
  id: isText,
  progress: orNull(recordOf({ done_events: isNumber, total_events: isNumber })),
  grouping: orNull(
    recordOf<ChosenGrouping>({
      version: isNumber,
      rules: isNumber,
      patterns_off: isNumber,
      is_configured: isBoolean,
    }),
  ),
  result: isJsonValue,
  error: orNull(recordOf({ code: isString, detail: isString })),
});

const PREVIEW_ISSUE: Shape<PreviewIssue> = {
  issue_id: isIssueId,
  fingerprint: isFingerprint,
  app: isString,
  service: isString,
  title: isString,
  culprit: isText,
  events: isNumber,
  sample_events: listOf(isEventId),
};

const isPreviewIssue = recordOf<PreviewIssue>(PREVIEW_ISSUE);
const isPreviewChange = recordOf<PreviewChange>({
  ...PREVIEW_ISSUE,
  parts: listOf(isPreviewIssue),
  parts_total: isNumber,
});

/** The result of a preview. */
export const isRegroupPreview = recordOf<RegroupPreview>({
  events: isNumber,
  issues_before: isNumber,
  issues_after: isNumber,
  unchanged_total: isNumber,
  renamed_total: isNumber,
  merged_total: isNumber,
  merged: listOf(isPreviewChange),
  split_total: isNumber,
  split: listOf(isPreviewChange),
  appeared_total: isNumber,
  appeared: listOf(isPreviewIssue),
});

/** The result of an `apply` or `roll_back`. */
export const isRegroupResult = recordOf<RegroupResult>({
  id: isString,
  events: isNumber,
  issues_before: isNumber,
  issues_after: isNumber,
});
