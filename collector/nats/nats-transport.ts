import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { Fault, messageOf } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import type { TlsClientSettings } from '../../generated/settings.js';
import { loadClientTls } from '../http/tls/client-tls.js';
import type {
  ConsumerProgress,
  Consumption,
  MessageReply,
  NatsTransport,
  StreamMessage,
  StreamSettings,
} from './transport.js';

/** Settings of a connection, the same for the receiver and the exporter. */
export interface NatsSettings {
  readonly servers: readonly string[];
  readonly token?: string;
  /** Path of a credentials file. */
  readonly credentials?: string;
  readonly tls: TlsClientSettings;
}

interface NatsOptions {
  /** Path of the settings, such as `exporters.nats`; also the name of the connection. */
  readonly key: string;
  readonly logger: Logger;
}

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
const PING_INTERVAL_MS = 5_000;
/** After this long without an answer a message is delivered again. */
const ACK_WAIT_MS = 30_000;
/** The server forgets the consumer of a gateway that does not return, which otherwise holds messages back. */
const FORGET_CONSUMER_MS = 72 * 3_600_000;
const DUPLICATE_WINDOW_MS = 120_000;
const NANOS_PER_MS = 1_000_000;
/** Error codes of JetStream. */
const WRONG_LAST_SEQUENCE: readonly number[] = [10_071, 10_164];
const STREAM_NOT_FOUND = 10_059;
const CONSUMER_NOT_FOUND = 10_014;

interface Connected {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
}

/** Opens a connection in the background. Faults: `TLS_UNREADABLE`, `NATS_CREDENTIALS_UNREADABLE`. */
export async function openNats(settings: NatsSettings, { key, logger }: NatsOptions): Promise<NatsTransport> {
  const { servers, token, credentials } = settings;
  const tls = await loadClientTls(`${key}.tls`, settings.tls);
  const credentialBytes = credentials === undefined ? undefined : await readCredentials(key, credentials);
  // Loaded only here, because few collectors need them.
  const [{ connect, credsAuthenticator }, { jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const closing = new AbortController();
  // One for each consumer.
  setMaxListeners(0, closing.signal);
  const needsTls =
    servers.some((server) => server.startsWith('tls:')) || tls.ca !== undefined || tls.cert !== undefined;
  let connected: Connected | undefined;
  let lastProblem = '';
  const opened = connectUntilClosed();

  async function connectUntilClosed(): Promise<Connected | undefined> {
    for (let waitMs = MIN_BACKOFF_MS; !closing.signal.aborted; waitMs = Math.min(2 * waitMs, MAX_BACKOFF_MS)) {
      try {
        const connection = await connect({
          servers: [...servers],
          name: `faultline ${key}`,
          timeout: CONNECT_TIMEOUT_MS,
          maxReconnectAttempts: -1,
          reconnectDelayHandler: () => MIN_BACKOFF_MS + Math.random() * MAX_BACKOFF_MS,
          pingInterval: PING_INTERVAL_MS,
          ...(token !== undefined && { token }),
          ...(credentialBytes && { authenticator: credsAuthenticator(credentialBytes) }),
          ...(needsTls && { tls: { ...tls } as never }),
        });
        const manager = await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS });
        connected = { connection, manager, client: manager.jetstream() };
        void reportStatus(connection);
        logger.info({ server: connection.getServer() }, 'connected to NATS');
        return connected;
      } catch (error) {
        reportProblem(messageOf(error));
        await delay(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async function reportStatus(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') reportProblem(`the connection to ${status.server} ended`);
      if (status.type !== 'reconnect') continue;
      lastProblem = '';
      logger.info({ server: status.server }, 'connected to NATS again');
    }
  }

  function reportProblem(problem: string): void {
    if (problem !== lastProblem) logger.warn({ reason: problem }, 'NATS is unreachable; trying again');
    lastProblem = problem;
  }

  /** Calls the servers once they are connected. */
  async function call<Result>(work: (connected: Connected) => Promise<Result>): Promise<Result> {
    const ready = connected ?? (await within(REQUEST_TIMEOUT_MS, opened));
    if (ready === undefined || closing.signal.aborted) {
      throw unreachable(servers, lastProblem === '' ? 'no connection' : lastProblem);
    }
    try {
      return await work(ready);
    } catch (error) {
      throw faultOf(error, servers);
    }
  }

  function ensureStream(stream: StreamSettings): Promise<void> {
    return call(async ({ manager }) => {
      if (await isStream(manager, stream.name)) return;
      const { DiscardPolicy, RetentionPolicy, StorageType } = await import('@nats-io/jetstream');
      const isInterest = stream.retention === 'interest';
      try {
        await manager.streams.add({
          name: stream.name,
          subjects: [...stream.subjects],
          num_replicas: stream.replicas,
          retention: isInterest ? RetentionPolicy.Interest : RetentionPolicy.Limits,
          discard: DiscardPolicy.New,
          max_bytes: stream.maxBytes ?? -1,
          storage: StorageType.File,
          duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
          allow_direct: true,
        });
        logger.info({ stream: stream.name, replicas: stream.replicas }, 'created a stream');
      } catch (error) {
        throw notCreated(stream, error);
      }
    });
  }

  /** Runs a consumer again when it ends, for example because the server lost it, until it is stopped. */
  function keepConsuming(
    begin: (connected: Connected) => Promise<AsyncIterable<JsMsg> & { close(): Promise<unknown> }>,
    handle: (message: JsMsg) => Promise<void> | undefined,
    progress: (connected: Connected) => Promise<ConsumerProgress>,
  ): Consumption {
    const stopping = new AbortController();
    closing.signal.addEventListener('abort', () => stopping.abort());
    let messages: { close(): Promise<unknown> } | undefined;
    const run = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        try {
          const begun = await call(begin);
          messages = begun;
          if (stopping.signal.aborted) await begun.close();
          for await (const message of begun) {
            const handled = handle(message);
            if (handled !== undefined) await handled;
          }
        } catch (error) {
          reportProblem(messageOf(error));
        }
        await delay(MIN_BACKOFF_MS * 4, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    };
    const running = run();
    return {
      progress: () => call(progress),
      async stop() {
        stopping.abort();
        await messages?.close();
        await within(REQUEST_TIMEOUT_MS, running);
      },
    };
  }

  return {
    ensureStream,
    hasStream: (name) => call(({ manager }) => isStream(manager, name)),
    async publish(subject, body, { messageId, expectedSequence } = {}) {
      return await call(async ({ client }) => {
        const expect = expectedSequence === undefined ? undefined : { lastSubjectSequence: expectedSequence };
        const ack = await client.publish(subject, body, {
          timeout: REQUEST_TIMEOUT_MS,
          ...(messageId !== undefined && { msgID: messageId }),
          ...(expect && { expect }),
        });
        return { sequence: ack.seq };
      });
    },
    send(subject, body) {
      try {
        connected?.connection.publish(subject, body);
      } catch (error) {
        reportProblem(messageOf(error));
      }
    },
    subscribe(subject, receive) {
      let end: (() => void) | undefined = () => undefined;
      void opened.then((ready) => {
        if (ready === undefined || end === undefined) return;
        const subscription = ready.connection.subscribe(subject, {
          callback: (error, message) => {
            if (error === null) receive(message.data, message.subject);
          },
        });
        end = () => subscription.unsubscribe();
      });
      return () => {
        end?.();
        end = undefined;
      };
    },
    async consume({ stream, durable, subject, maxInFlight }, receive) {
      const add = async ({ manager }: Connected) => {
        const { AckPolicy, DeliverPolicy } = await import('@nats-io/jetstream');
        await manager.consumers.add(stream, {
          durable_name: durable,
          filter_subject: subject,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
          max_ack_pending: maxInFlight,
          inactive_threshold: FORGET_CONSUMER_MS * NANOS_PER_MS,
        });
      };
      const begin = async (ready: Connected) => {
        await add(ready);
        const { client } = ready;
        return await (await client.consumers.get(stream, durable)).consume({
          max_messages: maxInFlight,
          abort_on_missing_resource: true,
        });
      };
      const unanswered = new Set<JsMsg>();
      const reply = (message: JsMsg, how: MessageReply): void => {
        if (unanswered.delete(message)) answer(message, how);
      };
      const handle = (message: JsMsg): undefined => {
        unanswered.add(message);
        void receive(messageOfStream(message)).then(
          (how) => reply(message, how),
          () => reply(message, { kind: 'retry', delayMs: MIN_BACKOFF_MS }),
        );
      };
      await call(add);
      const consumption = keepConsuming(begin, handle, async ({ manager }) => {
        const info = await manager.consumers.info(stream, durable);
        return { pending: info.num_pending + info.num_ack_pending, ackedSequence: info.ack_floor.stream_seq };
      });
      return {
        progress: consumption.progress,
        async stop() {
          await consumption.stop();
          // Otherwise the server waits for answers before it delivers them to the next consumer.
          for (const message of [...unanswered]) reply(message, { kind: 'retry', delayMs: 0 });
        },
      };
    },
    removeConsumer(stream, durable) {
      return call(async ({ manager }) => {
        try {
          await manager.consumers.delete(stream, durable);
        } catch (error) {
          if (codeOf(error) !== CONSUMER_NOT_FOUND) throw error;
        }
      });
    },
    async read({ stream, fromSequence }, receive) {
      let next = fromSequence;
      const begin = async ({ client }: Connected) => {
        const { DeliverPolicy } = await import('@nats-io/jetstream');
        const consumer = await client.consumers.get(stream, {
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: Math.max(1, next),
        });
        return await consumer.consume({ abort_on_missing_resource: true });
      };
      const handle = async (message: JsMsg): Promise<void> => {
        await receive(messageOfStream(message));
        next = message.seq + 1;
      };
      return keepConsuming(begin, handle, async ({ manager }) => {
        const { state } = await manager.streams.info(stream);
        return { pending: Math.max(0, state.last_seq + 1 - Math.max(next, state.first_seq)), ackedSequence: next - 1 };
      });
    },
    async close() {
      closing.abort();
      const ready = await opened;
      await within(REQUEST_TIMEOUT_MS, ready?.connection.drain().catch(() => undefined) ?? Promise.resolve());
      await within(REQUEST_TIMEOUT_MS, ready?.connection.close().catch(() => undefined) ?? Promise.resolve());
    },
  };
}

async function isStream(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await manager.streams.info(name);
    return true;
  } catch (error) {
    if (codeOf(error) !== STREAM_NOT_FOUND) throw error;
    return false;
  }
}

async function readCredentials(key: string, path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    const sentence = `${key}.credentials cannot be read: ${messageOf(cause)}. It must name a credentials file that this process can read.`;
    throw new Fault('NATS_CREDENTIALS_UNREADABLE', sentence, { cause });
  }
}

function messageOfStream(message: JsMsg): StreamMessage {
  const { subject, data, seq, redelivered } = message;
  return { subject, body: data, sequence: seq, isRedelivered: redelivered };
}

function answer(message: JsMsg, reply: MessageReply): void {
  try {
    if (reply.kind === 'ack') message.ack();
    else message.nak(reply.delayMs);
  } catch {
    // Without a connection; the message is delivered again.
  }
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

function faultOf(error: unknown, servers: readonly string[]): Fault {
  if (error instanceof Fault) return error;
  const code = codeOf(error);
  if (code === undefined && !isUnheard(error)) return unreachable(servers, messageOf(error), error);
  const isConflict = code !== undefined && WRONG_LAST_SEQUENCE.includes(code);
  const sentence = isConflict ? 'another message was stored first' : `the NATS server refuses: ${messageOf(error)}`;
  return new Fault(isConflict ? 'NATS_CONFLICT' : 'NATS_REFUSED', sentence, { cause: error, retryable: true });
}

/** Whether no stream stores the subject of a message: then nobody answers. */
function isUnheard(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ['NoRespondersError', 'JetStreamNotEnabled'].includes(error.constructor.name) || isUnheard(error.cause);
}

function unreachable(servers: readonly string[], reason: string, cause?: unknown): Fault {
  return new Fault('NATS_UNREACHABLE', `${servers.join(', ')}: ${reason}`, { cause, retryable: true });
}

function notCreated({ name, subjects, replicas, retention, maxBytes = -1 }: StreamSettings, cause: unknown): Fault {
  const create = `nats stream add ${name} --subjects '${subjects.join(',')}' --retention ${retention} --discard new --storage file --replicas ${replicas} --max-bytes ${maxBytes} --defaults`;
  const sentence = `the stream ${name} is missing and cannot be created: ${messageOf(cause)}. Run \`${create}\`, or set \`replicas\` to at most the number of servers, and \`max_stream_size\` to what they have.`;
  return new Fault('NATS_REFUSED', sentence, { cause, retryable: true });
}
