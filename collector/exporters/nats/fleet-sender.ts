import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import type { FollowedLine, FollowPosition, RecordFollower } from '../../../core/storage/following/record-follower.js';
import type { NatsExporterSettings } from '../../../generated/settings.js';
import { untilDone, wait } from '../../component/until-done.js';
import { comparePositions } from '../../nats/chunk.js';
import { eventsStream, fleetNames } from '../../nats/fleet-messages.js';
import type { NatsTransport } from '../../nats/transport.js';
import type { Counter } from '../../telemetry/meters.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import { reasonOf } from '../sending/running-sender.js';
import { type AppliedPositions, minPosition } from './applied-positions.js';
import { ChunkSender, type RecordPass } from './chunk-sender.js';

/** Events read at once: some for each of the usual 16 partitions. */
const READ_EVENTS = 3_200;
/** Shortest time between two saved cursors. */
const SAVE_INTERVAL_MS = 500;
/** After this many times `stalledMs`, events are sent again even if messages seem to wait: servers count some that they lost. */
const CERTAINLY_STALLED = 4;

/** When what gateways lack is looked for, milliseconds. */
export interface SearchTimes {
  /** How often gateways are asked while they have not stored everything. */
  readonly askMs: number;
  /** Without progress for this long, lost messages are looked for. */
  readonly stalledMs: number;
  /** Shortest time between two rewinds. */
  readonly rewindMs: number;
}

interface FleetSenderOptions {
  readonly settings: NatsExporterSettings;
  /** UUID of this collector. */
  readonly source: string;
  readonly follower: RecordFollower;
  readonly transport: NatsTransport;
  readonly applied: AppliedPositions;
  readonly telemetry: ExportTelemetry;
  readonly times: SearchTimes;
  /** Names the rules by which the store groups events now. */
  readonly groupingKey: () => string;
  readonly rewinds: Counter;
  readonly logger: Logger;
  readonly stop: AbortSignal;
}

/** Sends the record to the servers of a fleet, moves the cursor behind what all gateways have stored, and sends again what they lack. */
export class FleetSender {
  readonly #options: FleetSenderOptions;
  readonly #chunks: ChunkSender;
  /** Behind the last event whose message is stored by the servers. */
  #sentTo: FollowPosition;
  #pass: RecordPass;
  /** Where to read again; undefined: go on. */
  #rewindTo: FollowPosition | undefined;
  #rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** Ends a waiting read. */
  #wakeReader = new AbortController();
  /** When gateways had stored more, or everything. */
  #progressAtMs = performance.now();
  /** When the gateways were asked last, milliseconds since the epoch. */
  #askedAtMs = Number.POSITIVE_INFINITY;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  /** The grouping key of the events that were sent last. */
  #groupedBy: string | undefined;

  constructor(options: FleetSenderOptions) {
    this.#options = options;
    this.#chunks = new ChunkSender(options);
    this.#sentTo = options.follower.status().committed;
    this.#pass = { epoch: Date.now(), start: this.#sentTo };
    options.stop.addEventListener('abort', () => this.#wakeReader.abort());
  }

  /** Sends until stopped. */
  async send(): Promise<void> {
    await this.#greetGateways();
    this.#beginPass(this.#options.follower.status().committed);
    while (!this.#options.stop.aborted) {
      if (this.#rewindTo !== undefined) await this.#rewind();
      await this.#sendNext();
    }
  }

  /** Until stopped, asks the gateways while something is not stored, and sends again what got lost. */
  async watch(): Promise<void> {
    const { applied, follower, telemetry, times, logger, stop } = this.#options;
    while (!stop.aborted) {
      await this.saveCursor();
      const stalledMs = performance.now() - this.#progressAtMs;
      const isStalled = stalledMs > times.stalledMs;
      const isCertain = stalledMs > CERTAINLY_STALLED * times.stalledMs;
      if (applied.isSettled) this.#progressAtMs = performance.now();
      else if (isStalled && applied.isLostSince(this.#askedAtMs, isCertain)) {
        logger.warn('gateways lack events that no server holds; sending them again');
        this.requestRewind(applied.doneUpTo(follower.status().committed, this.#sentTo));
      }
      const { orphans } = applied;
      if (isStalled && orphans.length > 0) {
        telemetry.reportFailing(`no gateway owns the partitions ${orphans.join(', ')}`, 'watching');
      } else telemetry.reportHealthy('watching');
      if (!applied.isSettled) this.#askGateways();
      await wait(times.askMs, stop);
    }
  }

  /** Everything behind the committed position is sent again too, because another partition may lack earlier events. */
  requestRewind(to: FollowPosition): void {
    const first = minPosition(to, this.#options.follower.status().committed);
    this.#rewindTo = this.#rewindTo === undefined ? first : minPosition(this.#rewindTo, first);
    this.#wakeReader.abort();
  }

  /** As `saveCursor`, unless that was called a moment ago. */
  saveCursorSometimes(): void {
    if (performance.now() - this.#savedAtMs > SAVE_INTERVAL_MS) void this.saveCursor();
  }

  /** Moves the cursor behind what all gateways have stored; reports a failure. */
  async saveCursor(): Promise<void> {
    const { follower, applied, telemetry } = this.#options;
    this.#savedAtMs = performance.now();
    const { committed } = follower.status();
    const next = applied.doneUpTo(committed, this.#sentTo);
    if (comparePositions(next, committed) <= 0) return;
    this.#progressAtMs = performance.now();
    try {
      await follower.commit(next);
      telemetry.reportHealthy('saving');
    } catch (error) {
      telemetry.reportFailing(`its cursor could not be saved: ${reasonOf(error)}`, 'saving');
    }
  }

  /** Asks before the first event: a gateway that is not known when all known ones have stored an event never gets it. */
  async #greetGateways(): Promise<void> {
    const { settings, source, transport, telemetry, times, stop } = this.#options;
    const onFailure = (error: unknown): void => telemetry.reportFailing(reasonOf(error));
    const ensureStream = () => transport.ensureStream(eventsStream(settings));
    await untilDone(ensureStream, { stop, firstMs: times.rewindMs, onFailure });
    transport.send(fleetNames(settings.prefix).ask, Buffer.from(source));
  }

  #askGateways(): void {
    const { settings, source, transport } = this.#options;
    this.#askedAtMs = Date.now();
    transport.send(fleetNames(settings.prefix).ask, Buffer.from(source));
  }

  async #rewind(): Promise<void> {
    const { follower, applied, rewinds, times, stop } = this.#options;
    await wait(Math.max(0, this.#rewoundAtMs + times.rewindMs - performance.now()), stop);
    const to = this.#rewindTo;
    if (to === undefined) return;
    await follower.rewind(to);
    this.#beginPass(to);
    // Unless another rewind was requested meanwhile.
    if (this.#rewindTo === to) this.#rewindTo = undefined;
    this.#progressAtMs = performance.now();
    this.#rewoundAtMs = this.#progressAtMs;
    applied.restart();
    rewinds.add();
  }

  #beginPass(start: FollowPosition): void {
    this.#sentTo = start;
    this.#pass = { epoch: Date.now(), start };
  }

  async #sendNext(): Promise<void> {
    const { settings, follower } = this.#options;
    const signal = this.#renewWake();
    const waitMs = parseDuration(settings.sending_queue.flush_interval);
    const batch = await follower.nextLines({ maxEvents: READ_EVENTS, waitMs, signal });
    if (batch.events.length === 0) return;
    await this.#settleBeforeRegrouped(signal);
    if (signal.aborted) {
      // Read again: the batch may be grouped by other rules now.
      this.#rewindTo ??= this.#sentTo;
      return;
    }
    const lines: readonly FollowedLine[] = batch.events;
    if (await this.#chunks.send(lines, this.#pass, follower.status().committed)) this.#sentTo = batch.after;
  }

  #renewWake(): AbortSignal {
    this.#wakeReader = new AbortController();
    if (this.#options.stop.aborted || this.#rewindTo !== undefined) this.#wakeReader.abort();
    return this.#wakeReader.signal;
  }

  /** Regrouping moves events to other partitions: those that were sent before must be stored first. */
  async #settleBeforeRegrouped(signal: AbortSignal): Promise<void> {
    const { applied, groupingKey } = this.#options;
    const key = groupingKey();
    const isRegrouped = this.#groupedBy !== undefined && this.#groupedBy !== key;
    while (isRegrouped && !applied.isSettled && !signal.aborted) await wait(SAVE_INTERVAL_MS, signal);
    this.#groupedBy = key;
  }
}
