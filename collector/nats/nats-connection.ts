import { readFile } from 'node:fs/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { Fault, messageOf } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import type { NatsReceiverSettings } from '../../generated/settings.js';
import { untilDone } from '../component/until-done.js';
import { loadClientTls } from '../http/tls/client-tls.js';

/** Settings of a connection, the same for the receiver and the exporter. */
export type NatsSettings = Pick<NatsReceiverSettings, 'servers' | 'token' | 'credentials' | 'tls'>;

export interface NatsOptions {
  /** Path of the settings, such as `exporters.nats`; also the name of the connection. */
  readonly key: string;
  readonly logger: Logger;
}

/** Of all requests to the servers, milliseconds. */
export const REQUEST_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shortest time between two attempts, milliseconds. */
export const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
const PING_INTERVAL_MS = 5_000;
/** Error codes of JetStream. */
const WRONG_LAST_SEQUENCE: readonly number[] = [10_071, 10_164];

/** An open connection. */
export interface Connected {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
}

/** Opens a connection in the background, and again when it ends, until `closing` is aborted. Faults: `TLS_UNREADABLE`, `NATS_CREDENTIALS_UNREADABLE`. */
export async function openConnection(
  settings: NatsSettings,
  { key, logger }: NatsOptions,
  closing: AbortSignal,
): Promise<ServerConnection> {
  const { servers, token, credentials } = settings;
  const tls = await loadClientTls(`${key}.tls`, settings.tls);
  const credentialBytes = credentials === undefined ? undefined : await readCredentials(key, credentials);
  // Loaded only here, because few collectors need them.
  const [{ connect, credsAuthenticator }, { jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const needsTls =
    servers.some((server) => server.startsWith('tls:')) || tls.ca !== undefined || tls.cert !== undefined;
  const connectOnce = async (): Promise<Connected> => {
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
    return { connection, manager, client: manager.jetstream() };
  };
  return new ServerConnection({ servers, logger, closing, connectOnce });
}

interface ServerConnectionOptions {
  readonly servers: readonly string[];
  readonly logger: Logger;
  readonly closing: AbortSignal;
  readonly connectOnce: () => Promise<Connected>;
}

/** A connection that is opened in the background. */
export class ServerConnection {
  /** Undefined if it was closed before. */
  readonly opened: Promise<Connected | undefined>;
  readonly #options: ServerConnectionOptions;
  #connected: Connected | undefined;
  /** Each problem is logged once. */
  #lastProblem = '';

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.opened = untilDone(() => this.#connect(), {
      stop: options.closing,
      firstMs: MIN_BACKOFF_MS,
      longestMs: MAX_BACKOFF_MS,
      onFailure: (error) => this.reportProblem(messageOf(error)),
    });
  }

  /** Undefined before it is open. */
  get current(): Connected | undefined {
    return this.#connected;
  }

  /** Calls the servers once they are connected. Faults: as those of `NatsTransport`. */
  async call<Result>(work: (connected: Connected) => Promise<Result>): Promise<Result> {
    const { servers, closing } = this.#options;
    const connected = this.#connected ?? (await within(REQUEST_TIMEOUT_MS, this.opened));
    if (connected === undefined || closing.aborted) {
      throw unreachable(servers, this.#lastProblem === '' ? 'no connection' : this.#lastProblem);
    }
    try {
      return await work(connected);
    } catch (error) {
      throw faultOf(error, servers);
    }
  }

  reportProblem(problem: string): void {
    if (problem !== this.#lastProblem) {
      this.#options.logger.warn({ reason: problem }, 'NATS is unreachable; trying again');
    }
    this.#lastProblem = problem;
  }

  async #connect(): Promise<Connected> {
    const connected = await this.#options.connectOnce();
    this.#connected = connected;
    void this.#reportStatus(connected.connection);
    this.#options.logger.info({ server: connected.connection.getServer() }, 'connected to NATS');
    return connected;
  }

  async #reportStatus(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') this.reportProblem(`the connection to ${status.server} ended`);
      if (status.type !== 'reconnect') continue;
      this.#lastProblem = '';
      this.#options.logger.info({ server: status.server }, 'connected to NATS again');
    }
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

/** The error code of JetStream; undefined for other errors. */
export function codeOf(error: unknown): number | undefined {
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
