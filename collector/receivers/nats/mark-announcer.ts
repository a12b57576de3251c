import type { OriginLog } from '../../../core/storage/origins/origin-log.js';
import { wait } from '../../component/until-done.js';
import { parsePosition } from '../../nats/chunk.js';
import { type AppliedMarks, encodeMarks, fleetNames } from '../../nats/fleet-messages.js';
import type { Consumption, NatsTransport } from '../../nats/transport.js';

interface MarkAnnouncerOptions {
  /** UUID of this gateway. */
  readonly gateway: string;
  readonly ownedPartitions: readonly number[];
  /** Prefix of the fleet. */
  readonly prefix: string;
  readonly transport: NatsTransport;
  readonly origins: OriginLog;
  /** The running consumptions by partition. */
  readonly consumptions: ReadonlyMap<number, Consumption>;
  readonly stop: AbortSignal;
}

/** Shortest time between two requests for the progress of the consumers. */
const PROGRESS_INTERVAL_MS = 500;

/** Tells the sources of a fleet what a gateway has stored of them. */
export class MarkAnnouncer {
  readonly #options: MarkAnnouncerOptions;
  /** Sources whose positions changed since they were announced. */
  readonly #changedSources = new Set<string>();
  /** Messages that waited for this gateway when it last looked, by partition. */
  readonly #waiting = new Map<number, number>();
  /** The progress that is read next; undefined: nobody waits for it. */
  #nextProgress: Promise<ReadonlyMap<number, number>> | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MarkAnnouncerOptions) {
    this.#options = options;
  }

  /** Messages that waited for this gateway when it last looked, by partition. */
  get waiting(): ReadonlyMap<number, number> {
    return this.#waiting;
  }

  /** More of the source is stored. */
  noteChange(source: string): void {
    this.#changedSources.add(source);
  }

  announceChanges(): void {
    for (const source of this.#changedSources) this.#announce(source);
    this.#changedSources.clear();
  }

  /** Answers a source that asks. */
  async answer(source: string): Promise<void> {
    // At once: before its first event, a source must know all gateways.
    this.#announce(source);
    this.#announce(source, await this.readProgress());
  }

  /** Returns `AppliedMarks.done` as it will be when it is read next: an answer must be newer than its question, or what was sent in between would seem lost. */
  readProgress(): Promise<ReadonlyMap<number, number>> {
    const waitMs = Math.max(0, this.#readAtMs + PROGRESS_INTERVAL_MS - performance.now());
    this.#nextProgress ??= wait(waitMs, this.#options.stop).then(() => {
      this.#nextProgress = undefined;
      this.#readAtMs = performance.now();
      return this.#readNow();
    });
    return this.#nextProgress;
  }

  /** Leaves out partitions whose progress is unknown. */
  async #readNow(): Promise<ReadonlyMap<number, number>> {
    const done = new Map<number, number>();
    await Promise.all(
      [...this.#options.consumptions].map(async ([partition, consumption]) => {
        const progress = await consumption.progress().catch(() => undefined);
        if (progress === undefined) return;
        this.#waiting.set(partition, progress.pending);
        done.set(partition, progress.pending === 0 ? Number.POSITIVE_INFINITY : progress.ackedSequence);
      }),
    );
    return done;
  }

  #announce(source: string, done?: ReadonlyMap<number, number>): void {
    const { gateway, ownedPartitions, prefix, transport, origins } = this.#options;
    const applied: AppliedMarks['applied'] = new Map(
      [...(origins.applied.get(source) ?? [])].flatMap(([partition, to]) => {
        const position = parsePosition(to);
        return position === undefined || !ownedPartitions.includes(partition) ? [] : [[partition, position] as const];
      }),
    );
    transport.send(fleetNames(prefix).applied(source), encodeMarks({ gateway, own: ownedPartitions, applied, done }));
  }
}
