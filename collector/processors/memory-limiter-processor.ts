import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseDuration } from '../../config/values/duration.js';
import { Fault } from '../../core/event/fault.js';
import type { MemoryLimiterProcessorSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { anonymousBytes, availableBytes } from '../telemetry/available-memory.js';
import type { EventProcessorContext } from './event-processor/event-processor.js';
import { type Every, everyInterval } from './event-processor/every.js';
import { createItemCounters } from './event-processor/item-counters.js';
import { inMib, MIB, memoryLimitsOf } from './memory-limits.js';

/** The monitored process and its clock; tests replace them. */
interface LimitedProcess {
  readonly memory?: () => ProcessMemory;
  /** Available memory, bytes; default: of the control group or the machine. */
  readonly totalBytes?: number;
  /** Default: a full collection of this process. */
  readonly collectGarbage?: () => void;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  readonly every?: Every;
}

/** Memory of a process without pages of files, which the kernel takes back under pressure; bytes. */
interface ProcessMemory {
  readonly resident: number;
  /** Resident memory without freed memory that the allocator keeps. */
  readonly used: number;
}

/** Memory of Node besides heap, buffers and code: stacks, threads, parsers (Node 20.20, x64). */
const RUNTIME_BYTES = 10 * MIB;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** Creates processor `memory_limiter`: refuses batches with `MEMORY_LIMIT_EXCEEDED` (retryable) above the limits, and collects garbage. */
export function createMemoryLimiter(
  id: string,
  settings: MemoryLimiterProcessorSettings,
  { consumer, meters, states, logger }: EventProcessorContext & Pick<ComponentContext, 'states'>,
  limited: LimitedProcess = {},
): Component & Consumer {
  const { memory = memoryOfProcess, totalBytes = availableBytes(), nowMs = () => performance.now() } = limited;
  const { collectGarbage = createGarbageCollection(), every = everyInterval } = limited;
  const { hardBytes, softBytes } = memoryLimitsOf(settings, totalBytes);
  const items = createItemCounters(meters, id);
  const accepted = meters.counter('faultline_processor_memory_limiter_accepted_log_records', { processor: id });
  const refused = meters.counter('faultline_processor_memory_limiter_refused_log_records', { processor: id });
  const { prepare } = consumer;
  let refusal: Fault | undefined;
  let collectedAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let stop = (): void => {};

  const isAbove = ({ resident, used }: ProcessMemory): boolean => used > softBytes || resident > hardBytes;

  /** A collection blocks the process: above the hard limit the pause between two doubles up to 10 s; between the limits it is 10 s. */
  const measure = (): ProcessMemory => {
    const found = memory();
    const sinceMs = nowMs() - collectedAtMs;
    if (!isAbove(found)) pauseMs = FIRST_PAUSE_MS;
    else if (sinceMs >= (found.resident > hardBytes ? pauseMs : LONGEST_PAUSE_MS)) {
      collectedAtMs = nowMs();
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      collectGarbage();
      return memory();
    }
    return found;
  };

  /** Logs each change once. */
  const check = (): void => {
    const found = measure();
    const isOver = isAbove(found);
    if (isOver === (refusal !== undefined)) return;
    const sizes = {
      used_mib: inMib(found.used),
      resident_mib: inMib(found.resident),
      soft_limit_mib: inMib(softBytes),
      hard_limit_mib: inMib(hardBytes),
    };
    if (isOver) {
      // The Collector's message and a next step.
      const sentence = `data refused due to high memory usage: the collector uses more than ${sizes.soft_limit_mib} MiB. Send it again later; if this persists, raise the limit of memory_limiter or send less`;
      refusal = new Fault('MEMORY_LIMIT_EXCEEDED', sentence, { retryable: true });
      states.report('processor', id, 'StatusRecoverableError', refusal.message);
      logger.warn(sizes, 'memory is above the limit: events are refused');
    } else {
      refusal = undefined;
      states.report('processor', id, 'StatusOK');
      logger.info(sizes, 'memory is below the limit: events are accepted again');
    }
  };

  return {
    async start() {
      check();
      stop = every(parseDuration(settings.check_interval), check);
    },

    // Not async: no frame may keep the payloads alive while they wait for the disk.
    consume(batch) {
      const { length } = batch.events;
      items.incoming.add(length);
      if (refusal !== undefined) {
        refused.add(length);
        return Promise.reject(refusal);
      }
      return consumer.consume(batch).then((outcomes) => {
        accepted.add(length);
        items.outgoing.add(length);
        return outcomes;
      });
    },

    ...(prepare !== undefined && { prepare: (event) => (refusal === undefined ? prepare(event) : event) }),

    async shutdown() {
      stop();
    },
  };
}

function memoryOfProcess(): ProcessMemory {
  const { rss, heapTotal, external } = process.memoryUsage();
  const resident = anonymousBytes() ?? rss;
  return { resident, used: Math.min(resident, RUNTIME_BYTES + heapTotal + external) };
}

/** Creates a full garbage collection, which blocks. Contexts created after V8's flag is set have `gc`, so no command-line flag is needed. */
export function createGarbageCollection(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    collect ??= openCollector();
    collect();
  };
}

function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? () => void collect() : () => {};
}
