import { stderr } from 'node:process';
import type { FollowedEvent, RecordFollower } from '../../core/storage/following/record-follower.js';
import { within } from '../../core/within.js';
import type { DebugExporterSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import { jsonBeginning, runInSlices, type Steps } from '../processors/event-processor/steps.js';
import { type FollowedStore, RunningSender } from './sending/running-sender.js';
import { visible } from './sending/visible.js';

/**
 * Returns a predicate that samples lines like the Collector's `debug` exporter: the first `initial` of each second, then one in `thereafter`
 * (0: none). `nowMs` is monotonic.
 */
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

function eventLine({ normalized: event }: FollowedEvent): string {
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

/** An event with every field on a line of its own, in alphabetical order, each value as JSON and cut to 4,096 characters. */
function eventLines({ normalized, issueId, raw }: FollowedEvent): string {
  const fields = Object.entries({ ...normalized, issue_id: issueId }).sort(([one], [other]) => (one < other ? -1 : 1));
  // One unit more than is shown, so that `visible` marks the cut.
  const lines = fields.map(([key, value]) => `  ${key}: ${visible(jsonBeginning(value, MAX_FIELD + 1), MAX_FIELD)}`);
  return [`Event ${normalized.event_id}`, ...lines, `  raw: ${visible(raw.path, MAX_FIELD)} (line ${raw.line})`].join(
    '\n',
  );
}

const MAX_EVENTS = 512;
const FLUSH_MS = 200;
/** Bound of the last write on shutdown. */
const STOP_WRITE_MS = 500;

/**
 * Creates the exporter `debug`, which prints events stored after its start. `write` resolves when the next write can begin, which bounds
 * memory. Fault of `start`: `FOLLOWER_EXISTS`.
 */
export function createDebugExporter(
  id: string,
  settings: DebugExporterSettings,
  { store, logger }: Pick<ComponentContext, 'logger'> & { readonly store: FollowedStore },
  write: (text: string) => Promise<void> = writeToStandardError,
): Component & { readonly destination: string } {
  const running = new RunningSender();
  let follower: RecordFollower | undefined;
  const { sampling_initial: initial, sampling_thereafter: thereafter } = settings;
  const isShown = createLineSampler(initial, thereafter);

  const textOf = function* (events: readonly FollowedEvent[]): Steps<string> {
    if (settings.verbosity === 'basic') {
      return isShown() ? `${id}: ${events.length} event${events.length === 1 ? '' : 's'}\n` : '';
    }
    const describe = settings.verbosity === 'normal' ? eventLine : eventLines;
    const lines: string[] = [];
    for (const event of events) {
      yield;
      if (isShown()) lines.push(`${id}: ${describe(event)}\n`);
    }
    return lines.join('');
  };

  const showAll = async (from: RecordFollower): Promise<void> => {
    while (!running.stop.aborted) {
      const { events, after } = await from.next({ maxEvents: MAX_EVENTS, waitMs: FLUSH_MS, signal: running.stop });
      if (events.length === 0) return;
      const text = await runInSlices(textOf(events));
      if (text !== '') await write(text);
      await from.commit(after);
    }
  };

  return {
    destination: 'standard error',
    async start() {
      const opened = await store.following().follow({ name: id, startAt: 'end', holdMs: 0, isDurable: false });
      follower = opened;
      running.run(
        () => showAll(opened),
        (reason) => logger.warn({ reason }, 'printing events failed and restarts'),
      );
    },
    async shutdown() {
      await within(STOP_WRITE_MS, running.end());
      await follower?.close();
    },
  };
}

/** Resolves when the system has accepted the text, also if the reader has closed the stream. */
function writeToStandardError(text: string): Promise<void> {
  return new Promise((resolve) => {
    stderr.write(text, () => resolve());
  });
}
