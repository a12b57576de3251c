import { stderr } from 'node:process';
import type { DebugExporterSettings } from '../../generated/settings.js';
import type { DeliveredExporter, Delivery, ExporterFactory } from '../component/built-in.js';
import type { Context, StoredEvent } from '../component/plugin.js';
import { jsonBeginning, runInSlices, type Steps } from '../processors/event-processor/steps.js';
import { visible } from './sending/visible.js';

/** Samples lines as the Collector does: the first `initial` of each second, then one in `thereafter` (0: none). `nowMs` is monotonic. */
export function createLineSampler(
  initial: number,
  thereafter: number,
  nowMs: () => number = () => performance.now(),
): () => boolean {
  let second = Number.NaN;
  let lines = 0;
  return () => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) lines = 0;
    second = now;
    lines += 1;
    if (lines <= initial) return true;
    return thereafter > 0 && (lines - initial) % thereafter === 0;
  };
}

const MAX_LINE = 400;
const MAX_FIELD = 4_096;

function eventLine({ normalized: event }: StoredEvent): string {
  const {
    event_id: id,
    level,
    app,
    service,
    env,
    error_name: name,
    message,
    method,
    route,
    status_code: status,
  } = event;
  const request = [method, route, status].filter((part) => part !== null && part !== '').join(' ');
  const what = [name, message].flatMap((part) => (part === '' ? [] : [part.slice(0, MAX_LINE + 1)])).join(': ');
  return visible(`${id} ${level} ${app}/${service} ${env} ${what}${request === '' ? '' : ` (${request})`}`, MAX_LINE);
}

function eventLines({ normalized, issueId, raw }: StoredEvent): string {
  const fields = Object.entries({ ...normalized, issue_id: issueId }).sort(([one], [other]) => (one < other ? -1 : 1));
  // One unit more than is shown, so that `visible` marks the cut.
  const lines = fields.map(([key, value]) => `  ${key}: ${visible(jsonBeginning(value, MAX_FIELD + 1), MAX_FIELD)}`);
  return [`Event ${normalized.event_id}`, ...lines, `  raw: ${visible(raw.path, MAX_FIELD)} (line ${raw.line})`].join(
    '\n',
  );
}

/** It shows what is stored while it runs, and waits for nothing. */
const DELIVERY: Delivery = {
  queue: { max_batch_events: 512, flush_interval: '200ms', retention_hold: '0s', start_at: 'end' },
  retry: {
    enabled: false,
    initial_interval: '5s',
    max_interval: '30s',
    multiplier: 1.5,
    randomization_factor: 0.5,
    max_elapsed_time: '0s',
  },
  timeoutMs: 86_400_000,
  isDurable: false,
};

/** Exporter `debug`: prints events. */
export const debugExporter: ExporterFactory<DebugExporterSettings> = {
  stability: 'alpha',
  create: (settings, { id }) => createDebugExporter(settings, { id }),
};

/** Creates exporter `debug`, which prints events stored after its start. `write` resolves when the next write can begin: bounded memory. */
export function createDebugExporter(
  settings: DebugExporterSettings,
  { id }: Pick<Context, 'id'>,
  write: (text: string) => Promise<void> = writeToStandardError,
): DeliveredExporter {
  const { sampling_initial: initial, sampling_thereafter: thereafter } = settings;
  const isShown = createLineSampler(initial, thereafter);

  function* describeAll(events: readonly StoredEvent[]): Steps<string> {
    if (settings.verbosity === 'basic') return isShown() ? countLine(id, events.length) : '';
    const describe = settings.verbosity === 'normal' ? eventLine : eventLines;
    const lines: string[] = [];
    for (const event of events) {
      yield;
      if (isShown()) lines.push(`${id}: ${describe(event)}\n`);
    }
    return lines.join('');
  }

  return {
    destination: 'standard error',
    delivery: DELIVERY,
    async consume({ events }) {
      const text = await runInSlices(describeAll(events));
      if (text !== '') await write(text);
      return events.map(() => STORED);
    },
  };
}

const STORED = { kind: 'stored' } as const;

function countLine(id: string, events: number): string {
  return `${id}: ${events} event${events === 1 ? '' : 's'}\n`;
}

/** Resolves when the system has accepted the text, also if the reader has closed the stream. */
function writeToStandardError(text: string): Promise<void> {
  return new Promise((resolve) => {
    stderr.write(text, () => resolve());
  });
}
