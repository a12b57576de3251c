import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { isAtLeastLevel } from '../../core/event/level.js';
import { readSentJson } from '../../core/event/sent-json.js';
import { cutText } from '../../core/event/text.js';
import { findLevel } from '../../core/event/validate/level-in-record.js';
import { REQUEST_FIELDS } from './log-fields.js';
import { type LogMember, LogMembers } from './log-members.js';
import { describeError, findStack } from './logged-error.js';
import type { TextFailure, TextLine } from './text-failure.js';

/** UTF-16 units of a line that replace a missing message. */
const MAX_STAND_IN = 1_024;

/** Parses a JSON log line: its failure at this level, or with a stack and no level; empty for other log lines, undefined for text. */
export function readJsonLine(line: TextLine, minSeverity: string): readonly TextFailure[] | undefined {
  const log = parseObject(line.clean);
  if (log === undefined) return undefined;
  const members = new LogMembers(log);
  const level = levelIn(members);
  if (level !== undefined && !isAtLeastLevel(String(level.value), minSeverity)) return [];
  const stack = findStack(members);
  if (level === undefined && stack === undefined) return undefined;
  return [{ format: 'json', value: payloadOf(members, level, stack, line), text: line.printed, span: line.span }];
}

/** Parses a text that is one JSON object; undefined for other texts. */
export function parseObject(text: string): JsonObject | undefined {
  const line = text.trim();
  // A line in braces may be plain text.
  const value = line.startsWith('{') && line.endsWith('}') ? readSentJson(line) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** Finds the level of a log entry. */
export function levelIn(members: LogMembers): LogMember | undefined {
  const found = findLevel((path) => members.valueAt(path));
  if (found !== undefined) return { path: found.path, value: found.level, isCopied: false };
  // Serilog's compact format omits the level `info`.
  return members.valueAt('@t') === undefined ? undefined : { path: '@l', value: 'info', isCopied: false };
}

/** Builds the payload of a line; unused members go to `extra.log`. */
function payloadOf(
  members: LogMembers,
  level: LogMember | undefined,
  stack: LogMember | undefined,
  line: TextLine,
): JsonObject {
  const { errorName = '', message, stackText } = describeError(members, { stack });
  const payload: JsonObject = {
    error_name: errorName,
    message: message ?? cutText(line.clean.trim(), MAX_STAND_IN),
    stack: stackText,
    level: members.use(level) ?? 'error',
  };
  Object.assign(payload, requestFieldsOf(members));
  const unused = members.unused();
  if (unused !== undefined) payload['extra'] = { log: unused };
  return payload;
}

/** Returns what a log entry says of its request and its program, by the keys of a payload. */
export function requestFieldsOf(members: LogMembers): JsonObject {
  const fields: JsonObject = {};
  for (const [key, field] of Object.entries(REQUEST_FIELDS)) {
    const value = members.use(members.find(field));
    if (value !== undefined) fields[key] = value;
  }
  return fields;
}
