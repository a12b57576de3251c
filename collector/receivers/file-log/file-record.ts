import { basename } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/event/json.js';
import type { FileLogDefaults } from '../../../generated/settings.js';
import type { TextFailure } from '../../log-parsing/text-failure.js';
import type { MappedRecord } from '../intake/intake.js';
import { serviceNameOf } from './service-name.js';

/** A failure and where it was found. */
export interface FoundFailure {
  readonly failure: TextFailure;
  /** Absolute path under which the file was read. */
  readonly path: string;
  /** Identity of the file and of its content, `FileCheckpoint.file`. */
  readonly file: string;
}

/** A failure that is about to be forwarded, as stored in the checkpoint. */
export interface PendingRecord {
  /** The payload as far as the text gives it, with `extra.file_log`. */
  readonly value: JsonObject;
  /** As printed. */
  readonly text: string;
}

/** Maps a failure to a payload: names from the line, else the settings, else the file; the location in the file under `extra.file_log`. */
export function toPendingRecord({ failure, path, file }: FoundFailure, defaults: FileLogDefaults): PendingRecord {
  const { value, format, span } = failure;
  const service = textOf(value['service']) ?? defaults.service ?? serviceNameOf(path);
  const place = { path, from: span.from, to: span.to, format, file };
  return {
    text: failure.text,
    value: {
      // A payload must have one; most lines have none.
      route: '',
      ...value,
      app: textOf(value['app']) ?? defaults.app ?? service,
      service,
      env: textOf(value['env']) ?? defaults.env,
      tags: tagsOf(value['tags'], path),
      extra: { ...objectOf(value['extra']), file_log: place },
    },
  };
}

/** Returns the record for the intake. */
export function toMappedRecord({ value, text }: PendingRecord): MappedRecord {
  return { value, received: () => Buffer.from(text, 'utf8') };
}

/** Returns a unique key of the record with this `extra`; undefined if it did not come from `file_log`. */
export function locationKeyOf(extra: unknown): string | undefined {
  const place = locationOf(extra);
  if (place === undefined) return undefined;
  return JSON.stringify([place['file'], place['from'], place['to']]);
}

/** Returns the member `file_log` of `extra`: the location without content. */
export function locationOf(extra: unknown): JsonObject | undefined {
  const place = isJsonObject(extra) ? extra['file_log'] : undefined;
  return isJsonObject(place) ? place : undefined;
}

/** Ours come first: the limit on the number of tags keeps the first ones. */
function tagsOf(tags: unknown, path: string): JsonObject {
  const own = { source: 'file_log', 'log.file.name': basename(path) };
  return { ...own, ...objectOf(tags), ...own };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
