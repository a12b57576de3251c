import { v4 } from 'uuid';
import { parseDuration } from '../../../config/values/duration.js';
import { toEventId } from '../../../core/event/ids.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { FollowedLine, FollowPosition, RecordFollower } from '../../../core/storage/following/record-follower.js';
import type { StoreNote } from '../../../core/storage/following/store-note.js';
import type { NatsExporterSettings } from '../../../generated/settings.js';
import type { ExporterFactory, FollowingExporter, Internal } from '../../component/built-in.js';
import { untilDone, wait } from '../../component/until-done.js';
import { comparePositions } from '../../nats/chunk.js';
import { eventsStream, fleetNames, parseMarks, parseResend } from '../../nats/fleet-messages.js';
import { openNats } from '../../nats/nats-transport.js';
import { createSharedActions, runningActions, type SharingStore } from '../../nats/shared-actions.js';
import type { NatsTransport } from '../../nats/transport.js';
import { createExportTelemetry } from '../sending/export-telemetry.js';
import { createRunningSender, reasonOf } from '../sending/running-sender.js';
import { createAppliedPositions } from './applied-positions.js';
import { sendLines } from './send-lines.js';

/** Events read at once: some for each of the usual 16 partitions. */
const READ_EVENTS = 3_200;
/** Shortest time between two saved cursors. */
const SAVE_INTERVAL_MS = 500;
/** After this many times `stalledMs`, events are sent again even if messages seem to wait: servers count some that they lost. */
const CERTAINLY_STALLED = 4;
const SEARCH_TIMES = {
  /** How often gateways are asked while they have not stored everything. */
  askMs: 10_000,
  /** Without progress for this long, lost messages are looked for. */
  stalledMs: 30_000,
  /** Shortest time between two rewinds. */
  rewindMs: 2_000,
};

interface NatsExporterContext extends Pick<Internal, 'meters' | 'states' | 'logger'> {
  /** `opened` is called between its `start` and `shutdown`. */
  readonly store: { opened(): Pick<EventStore, 'follow' | 'note' | 'grouper'> & SharingStore };
  /** Default: a connection to the servers. */
  readonly connect?: () => Promise<NatsTransport>;
  /** Default: 10, 30 and 2 seconds. */
  readonly times?: typeof SEARCH_TIMES;
}

/** Exporter `nats`: events for the gateways of a fleet. */
export const natsExporter: ExporterFactory<NatsExporterSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createNatsExporter(id, settings, internal),
};

/** Creates the exporter `nats`, whose cursor is behind what all gateways of its fleet have stored. Faults of `start`: also `FOLLOWER_EXISTS`. */
export function createNatsExporter(
  id: string,
  settings: NatsExporterSettings,
  context: NatsExporterContext,
): Required<FollowingExporter> {
  const { store, meters, states, logger, times = SEARCH_TIMES } = context;
  const { prefix, partitions, sending_queue: queue } = settings;
  const { connect = () => openNats(settings, { key: `exporters.${id}`, logger }) } = context;
  const names = fleetNames(prefix);
  const destination = settings.servers.join(', ');
  const applied = createAppliedPositions();
  const running = createRunningSender();
  const { stop } = running;
  const rewinds = meters.counter('faultline_exporter_rewinds', { exporter: id });
  let transport: NatsTransport | undefined;
  let follower: RecordFollower | undefined;
  let note: StoreNote | undefined;
  let shared: ReturnType<typeof createSharedActions> | undefined;
  let source = '';
  /** Where to read again; undefined: go on. */
  let rewindTo: FollowPosition | undefined;
  let rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** Ends a waiting read. */
  let wake = new AbortController();
  /** Behind the last event whose message is stored by the servers. */
  let read: FollowPosition = { receivedAtMicros: 0, taken: 0, passed: 0 };
  let progressAtMs = performance.now();
  let askedAtMs = Number.POSITIVE_INFINITY;
  let savedAtMs = Number.NEGATIVE_INFINITY;
  let groupedBy = '';
  const telemetry = createExportTelemetry({ id, destination, meters, states, logger }, () => follower?.status());
  const ends: (() => void)[] = [];

  async function loadIdentity(opened: StoreNote): Promise<void> {
    const stored = await opened.read();
    const known = stored !== undefined && isJsonObject(stored) ? stored : {};
    source = toEventId(String(known['source'])) ?? v4();
    applied.restore(known['gateways']);
    await saveIdentity(opened);
  }

  async function saveIdentity(opened: StoreNote): Promise<void> {
    await opened.write(JSON.stringify({ source, gateways: applied.toJson() }));
  }

  /** Everything behind the committed position is sent again too, because another partition may lack earlier events. */
  function requestRewind(to: FollowPosition): void {
    if (follower === undefined) return;
    const { committed } = follower.status();
    [rewindTo] = [to, committed, ...(rewindTo === undefined ? [] : [rewindTo])].sort(comparePositions);
    wake.abort();
  }

  function receiveMarks(body: Uint8Array): void {
    const marks = parseMarks(body);
    if (marks === undefined) return;
    if (applied.mark(marks) && note !== undefined) {
      logger.info({ gateway: marks.gateway, own: marks.own }, 'a gateway stores events of this collector');
      void saveIdentity(note).catch(() => undefined);
    }
    if (performance.now() - savedAtMs > SAVE_INTERVAL_MS) void saveCursor();
  }

  async function saveCursor(): Promise<void> {
    if (follower === undefined) return;
    savedAtMs = performance.now();
    const { committed } = follower.status();
    const next = applied.committed(committed, read);
    if (comparePositions(next, committed) <= 0) return;
    progressAtMs = performance.now();
    try {
      await follower.commit(next);
      telemetry.reportHealthy('saving');
    } catch (error) {
      telemetry.reportFailing(`its cursor could not be saved: ${reasonOf(error)}`, 'saving');
    }
  }

  /** Asks the gateways while something is not stored, and sends again what got lost. */
  async function watch(): Promise<void> {
    while (!stop.aborted) {
      await saveCursor();
      const stalledMs = performance.now() - progressAtMs;
      const isStalled = stalledMs > times.stalledMs;
      const isCertain = stalledMs > CERTAINLY_STALLED * times.stalledMs;
      if (applied.isSettled) progressAtMs = performance.now();
      else if (isStalled && follower !== undefined && applied.isLostSince(askedAtMs, isCertain)) {
        logger.warn('gateways lack events that no server holds; sending them again');
        requestRewind(applied.committed(follower.status().committed, read));
      }
      const { orphans } = applied;
      if (isStalled && orphans.length > 0) {
        telemetry.reportFailing(`no gateway owns the partitions ${orphans.join(', ')}`, 'watching');
      } else telemetry.reportHealthy('watching');
      if (!applied.isSettled) {
        askedAtMs = Date.now();
        transport?.send(names.ask, Buffer.from(source));
      }
      await wait(times.askMs, stop);
    }
  }

  /** Asks the gateways before the first event: one that is not known when all known ones have stored an event never gets it. */
  async function greet(connection: NatsTransport): Promise<void> {
    const onFailure = (error: unknown): void => telemetry.reportFailing(reasonOf(error));
    const ensured = () => connection.ensureStream(eventsStream(settings));
    await untilDone(ensured, { stop, firstMs: times.rewindMs, onFailure });
    connection.send(names.ask, Buffer.from(source));
  }

  async function send(opened: RecordFollower, connection: NatsTransport): Promise<void> {
    await greet(connection);
    let epoch = Date.now();
    let floor = opened.status().committed;
    let passStart = floor;
    read = floor;
    while (!stop.aborted) {
      if (rewindTo !== undefined) {
        await wait(Math.max(0, rewoundAtMs + times.rewindMs - performance.now()), stop);
        await opened.rewind(rewindTo);
        [floor, passStart, read, epoch] = [rewindTo, rewindTo, rewindTo, Date.now()];
        rewindTo = undefined;
        rewoundAtMs = progressAtMs = performance.now();
        applied.restart();
        rewinds.add();
      }
      const signal = renewWake();
      const waitMs = parseDuration(queue.flush_interval);
      const batch = await opened.nextLines({ maxEvents: READ_EVENTS, waitMs, signal });
      if (batch.events.length === 0) continue;
      await settleBeforeRegrouped(signal);
      if (signal.aborted) {
        // Read again: the batch may be grouped by other rules now.
        rewindTo ??= read;
        continue;
      }
      floor = opened.status().committed;
      const isSent = await sendLines(batch.events as readonly FollowedLine[], {
        ...{ source, epoch, floor, passStart, partitions, names, transport: connection, applied, telemetry, stop },
        maxEvents: queue.max_batch_events,
        stream: eventsStream(settings),
      });
      if (isSent) read = batch.after;
    }
  }

  /** Regrouping moves events to other partitions: those that were sent before must be stored first. */
  async function settleBeforeRegrouped(signal: AbortSignal): Promise<void> {
    const { key } = store.opened().grouper;
    while (groupedBy !== '' && groupedBy !== key && !applied.isSettled && !signal.aborted) {
      await wait(SAVE_INTERVAL_MS, signal);
    }
    groupedBy = key;
  }

  function renewWake(): AbortSignal {
    wake = new AbortController();
    if (stop.aborted || rewindTo !== undefined) wake.abort();
    return wake.signal;
  }

  return {
    destination,
    stats: telemetry.stats,
    actions: settings.share_actions ? () => runningActions(shared) : undefined,

    async start() {
      const following = store.opened();
      const holdMs = parseDuration(queue.retention_hold);
      const opened = await following.follow({ name: id, startAt: queue.start_at, holdMs });
      follower = opened;
      note = following.note(`${id} fleet`);
      await loadIdentity(note);
      const connection = await connect();
      transport = connection;
      ends.push(
        connection.subscribe(names.applied(source), receiveMarks),
        connection.subscribe(names.resend(source), (body) => {
          const request = parseResend(body);
          if (request !== undefined) requestRewind(request.after);
        }),
      );
      stop.addEventListener('abort', () => wake.abort());
      telemetry.start();
      running.run(() => send(opened, connection), telemetry.reportFailing);
      running.run(watch, telemetry.reportFailing);
      if (!settings.share_actions) return;
      shared = createSharedActions({ ...settings, transport: connection, store: following, logger });
      await shared.start();
    },

    async shutdown() {
      await running.end();
      for (const end of ends.splice(0)) end();
      await saveCursor();
      await shared?.shutdown();
      await transport?.close();
      telemetry.stop();
      await follower?.close();
      follower = undefined;
    },
  };
}
