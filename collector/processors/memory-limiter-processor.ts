import { parseDuration } from '../../config/values/duration.js';
import { Fault } from '../../core/event/fault.js';
import type { MemoryLimiterProcessorSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { availableBytes } from '../telemetry/available-memory.js';
import { createGarbageCollection } from './collect-garbage.js';
import type { EventProcessorContext } from './event-processor/event-processor.js';
import { type Every, everyInterval } from './event-processor/every.js';
import { createItemCounters } from './event-processor/item-counters.js';
import { memoryLimitsOf } from './memory-limits.js';

/** The process that a memory limiter watches, and its time. */
export interface LimitedProcess {
  /** Default that of this process. */
  readonly memory?: () => ProcessMemory;
  /** Memory that the process can have, bytes; default that of its control group or of the machine. */
  readonly totalBytes?: number;
  /** Default: all garbage of this process, at once. */
  readonly collectGarbage?: () => void;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  readonly every?: Every;
}

/** Memory of a process, bytes. */
export interface ProcessMemory {
  readonly resident: number;
  /** Resident memory less what the allocator keeps for the next bodies after it was freed. */
  readonly used: number;
}

const MIB = 1024 * 1024;
/** What Node takes beside its heap and its buffers: code, stacks, threads (Node 20.20, x64). */
const RUNTIME_BYTES = 55 * MIB;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Processor `memory_limiter`: it refuses every batch with `MEMORY_LIMIT_EXCEEDED` (retryable) while used memory is above the soft limit or resident memory
 * above the hard one, and has garbage collected. It measures when it starts and then every `check_interval`.
 */
export function createMemoryLimiter(
  id: string,
  settings: MemoryLimiterProcessorSettings,
  { consumer, meters, states, logger }: EventProcessorContext & Pick<ComponentContext, 'states'>,
  limited: LimitedProcess = {},
): Component & Consumer {
  const { memory = memoryOfProcess, totalBytes = availableBytes() } = limited;
  const { collectGarbage = createGarbageCollection(), every = everyInterval } = limited;
  const { nowMs = () => performance.now() } = limited;
  const { hardBytes, softBytes } = memoryLimitsOf(settings, totalBytes);
  const items = createItemCounters(meters, id);
  const accepted = meters.counter('faultline_processor_memory_limiter_accepted_log_records', { processor: id });
  const refused = meters.counter('faultline_processor_memory_limiter_refused_log_records', { processor: id });
  let refusal: Fault | undefined;
  let collectedAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let stop = (): void => {};

  const isAbove = ({ resident, used }: ProcessMemory): boolean => used > softBytes || resident > hardBytes;

  /** A collection keeps everything waiting: above the hard limit pauses double up to 10 s while memory stays, between the limits they are 10 s. */
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

  /** One line when it begins to refuse and one when it takes again, however many batches come in between. */
  const look = (): void => {
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
      refusal = refusalAbove(softBytes);
      states.report('processor', id, 'StatusRecoverableError', refusal.message);
      logger.warn(sizes, 'memory is above the limit: events are refused');
    } else {
      refusal = undefined;
      states.report('processor', id, 'StatusOK');
      logger.info(sizes, 'memory is below the limit: events are taken again');
    }
  };

  return {
    async start() {
      look();
      stop = every(parseDuration(settings.check_interval), look);
    },

    // Not async: no frame may hold the payloads while they wait for the disk.
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

    async shutdown() {
      stop();
    },
  };
}

function memoryOfProcess(): ProcessMemory {
  const { rss, heapTotal, external } = process.memoryUsage();
  return { resident: rss, used: Math.min(rss, RUNTIME_BYTES + heapTotal + external) };
}

/** The Collector's words, and what mends it. */
function refusalAbove(softBytes: number): Fault {
  const sentence = `data refused due to high memory usage: the collector uses more than ${inMib(softBytes)} MiB. Send it again in a moment; if this stays, raise the limit of memory_limiter or send less`;
  return new Fault('MEMORY_LIMIT_EXCEEDED', sentence, { retryable: true });
}

function inMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
