import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { printableJson } from '../../config/values/printable.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { isJsonObject, parseJson } from '../../core/event/json.js';
import { compareTexts } from '../../core/event/text.js';
import { codeOf, hasCode, systemSentence } from '../../core/storage/files/system-error.js';
import type { GateIssue } from './gate-report.js';

/** What identifies an issue in every record. */
export type IssueKey = Pick<GateIssue, 'app' | 'service' | 'fingerprint' | 'title'>;

/** `resolved`: known, and absent in the run that wrote the baseline last. */
interface BaselineEntry extends IssueKey {
  readonly state: 'known' | 'resolved';
}

/** The issues that were known before, by key. */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

const HEADER = '{"faultline_baseline":1}';
const MAX_BYTES = 64 * 1_048_576;

/** The key of an issue; its title is for people and may differ. */
export function baselineKey({ app, service, fingerprint }: IssueKey): string {
  return JSON.stringify([app, service, fingerprint]);
}

/** Reads a baseline; undefined if the file does not exist. Faults: `BASELINE_INVALID`, with the line if it is in one. */
export async function readBaseline(file: string): Promise<Baseline | undefined> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Fault('BASELINE_INVALID', `--baseline ${file} is a folder: name a file`);
    // A pipe or a device may have no end.
    if (!found.isFile()) throw new Fault('BASELINE_INVALID', `--baseline ${file} is not a file`);
    if (found.size > MAX_BYTES) throw invalid(file, 'is larger than 64 MiB');
    return parseBaseline(file, await readFile(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (error instanceof Fault) throw error;
    const reason = systemSentence(error, file) ?? `${file}: ${codeOf(error) ?? messageOf(error)}`;
    throw new Fault('BASELINE_INVALID', `--baseline cannot be read: ${reason}`, { cause: error });
  }
}

/** One line each, because git merges lines: of two for an issue, `known` wins. */
function parseBaseline(file: string, text: string): Baseline {
  const [header, ...lines] = text.split(/\r?\n/);
  if (header !== HEADER) throw invalid(file, `must begin with the line ${HEADER}`);
  const found = new Map<string, BaselineEntry>();
  for (const [index, line] of lines.entries()) {
    if (line === '' || line === HEADER) continue;
    const value = parseJson(line);
    const { app, service, fingerprint, state, title } = isJsonObject(value) ? value : {};
    const isKey = typeof app === 'string' && typeof service === 'string' && typeof fingerprint === 'string';
    if (!isKey || (state !== 'known' && state !== 'resolved'))
      throw invalid(file, `line ${index + 2} is not {"app","service","fingerprint","state","title"}`);
    const issue = { app, service, fingerprint, state, title: String(title ?? '') } as const;
    const key = baselineKey(issue);
    if (found.get(key)?.state !== 'known') found.set(key, issue);
  }
  return found;
}

/** The baseline after a run: its issues are known, all others resolved. */
export function updateBaseline(before: Baseline | undefined, issues: readonly IssueKey[]): Baseline {
  const after = new Map<string, BaselineEntry>();
  for (const [key, issue] of before ?? []) after.set(key, { ...issue, state: 'resolved' });
  for (const issue of issues) after.set(baselineKey(issue), { ...issue, state: 'known' });
  return after;
}

/** Replaces the file; sorted, so that equal baselines are equal files. */
export async function writeBaseline(file: string, baseline: Baseline): Promise<void> {
  const lines = [...baseline].sort(([one], [other]) => compareTexts(one, other));
  const text = lines.map(([, { app, service, fingerprint, state, title }]) =>
    printableJson(JSON.stringify({ app, service, fingerprint, state, title })),
  );
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${[HEADER, ...text].join('\n')}\n`, { flush: true });
  await rename(temporary, file);
}

function invalid(file: string, problem: string): Fault {
  return new Fault('BASELINE_INVALID', `${file} is not a baseline: it ${problem}`);
}
