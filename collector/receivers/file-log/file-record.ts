import { basename } from 'node:path';
import { filledText, isJsonObject, type JsonObject } from '../../../core/event/json.js';
import { formatTimestamp, parseTimestamp } from '../../../core/normalize/timestamp.js';
import type { FileLogDefaults } from '../../../generated/settings.js';
import type { MappedRecord } from '../intake/intake.js';
import { fillTemplate, parseContainerPath, serviceNameOf } from './container-path.js';
import type { FileFailure } from './file-failures.js';

/** A failure and where it was found. */
export interface FoundFailure extends FileFailure {
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

/** Where the settings have no name, or the path does not have what their template asks for, the first template that the path can fill. */
const TEMPLATES = { app: '{owner}', service: '{container}', env: 'production' } as const;

/** Maps a failure to a payload: names from the line, else the settings, else the path; the place in the file under `extra.file_log`. */
export function toPendingRecord(found: FoundFailure, defaults: FileLogDefaults): PendingRecord {
  const { path, file, failure } = found;
  const { value, format, span } = failure;
  const fromPath = (key: keyof typeof TEMPLATES): string | undefined => {
    const template = defaults[key];
    return (template === undefined ? undefined : fillTemplate(template, path)) ?? fillTemplate(TEMPLATES[key], path);
  };
  const service = filledText(value['service']) ?? fromPath('service') ?? serviceNameOf(path);
  const time = found.time === undefined ? undefined : parseTimestamp(found.time);
  const logTime = time === undefined ? undefined : value['timestamp'];
  const place = {
    path,
    from: span.from,
    to: span.to,
    format,
    file,
    ...(logTime !== undefined && { log_time: logTime }),
  };
  return {
    text: failure.text,
    value: {
      // A payload must have one; most lines have none.
      route: '',
      ...value,
      ...(time !== undefined && { timestamp: formatTimestamp(time) }),
      app: filledText(value['app']) ?? fromPath('app') ?? service,
      service,
      env: filledText(value['env']) ?? fromPath('env') ?? TEMPLATES.env,
      tags: tagsOf(value['tags'], found),
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
function tagsOf(tags: unknown, { path, stream }: FoundFailure): JsonObject {
  const { namespace, pod, container, containerId } = parseContainerPath(path);
  const own = {
    source: 'file_log',
    'log.file.name': basename(path),
    ...(stream !== '' && { 'log.iostream': stream }),
    ...(namespace !== undefined && { 'k8s.namespace.name': namespace }),
    ...(pod !== undefined && { 'k8s.pod.name': pod }),
    ...(container !== undefined && { 'k8s.container.name': container }),
    ...(containerId !== undefined && { 'container.id': containerId }),
  };
  return { ...own, ...objectOf(tags), ...own };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
