import { isJsonObject } from '../../../core/event/json.js';
import { readSentJson } from '../../../core/event/sent-json.js';
import type { FileLogReceiverSettings } from '../../../generated/settings.js';

/** `auto`, or the format of all files. */
export type LogFormat = FileLogReceiverSettings['format'];

/** One line of a container runtime's log, without what the runtime added. */
export interface ContainerLine {
  readonly stream: 'stdout' | 'stderr';
  /** As written by the runtime, RFC 3339. */
  readonly time: string;
  readonly text: string;
  /** The next line of the stream continues this one. */
  readonly isPartial: boolean;
}

const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)`;
const ONLY_TIME = new RegExp(`^${TIME}$`);
/** `<time> <stream> <tags> <text>`; the first tag is F (full) or P (partial). */
const CRI_PREFIX = new RegExp(`^(${TIME}) (stdout|stderr) ([FP])(?::[^ ]{0,64})?(?: |$)`);

/** Decoders of the formats; each returns undefined for a line that is not of its format. */
const DECODERS = { cri: decodeCri, docker: decodeDocker } as const;

/** Lines without evidence after which a file is plain. */
const MAX_LINES_WITHOUT_EVIDENCE = 100;

/** Creates the decoder of one file. With `auto`, the first line that fits a format decides; lines that do not fit are plain. */
export function createLineDecoder(configured: LogFormat): (line: string) => ContainerLine | undefined {
  let format = configured;
  let undecidedLines = 0;
  return (line) => {
    if (format === 'plain') return undefined;
    if (format !== 'auto') return DECODERS[format](line);
    for (const candidate of ['cri', 'docker'] as const) {
      const decoded = DECODERS[candidate](line);
      if (decoded === undefined) continue;
      format = candidate;
      return decoded;
    }
    undecidedLines += 1;
    if (undecidedLines >= MAX_LINES_WITHOUT_EVIDENCE) format = 'plain';
    return undefined;
  };
}

function decodeCri(line: string): ContainerLine | undefined {
  const [prefix, time = '', stream = '', tag] = CRI_PREFIX.exec(line) ?? [];
  if (prefix === undefined || !isStream(stream)) return undefined;
  return { stream, time, text: line.slice(prefix.length), isPartial: tag === 'P' };
}

/** Docker's `json-file`: a text without a newline at its end is continued. */
function decodeDocker(line: string): ContainerLine | undefined {
  if (!line.startsWith('{') || !line.includes('"stream"')) return undefined;
  const value = readSentJson(line);
  if (!isJsonObject(value)) return undefined;
  const { log, stream, time } = value;
  if (typeof log !== 'string' || !isStream(stream) || typeof time !== 'string' || !ONLY_TIME.test(time))
    return undefined;
  const isPartial = !log.endsWith('\n');
  return { stream, time, text: isPartial ? log : log.slice(0, -1), isPartial };
}

function isStream(value: unknown): value is ContainerLine['stream'] {
  return value === 'stdout' || value === 'stderr';
}
