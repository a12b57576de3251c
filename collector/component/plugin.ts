/**
 * What a plugin exports and gets: the module `faultline/plugin`. It imports only the generated type of a payload, because the build copies both as the
 * types of that module. A plugin runs in the process of the collector, with all of its rights.
 */
import type { Payload } from '../../generated/payload.js';

export type { Payload } from '../../generated/payload.js';

/** A received event. Do not change it: return another object with another payload. */
export interface Event {
  readonly payload: Payload;
}

/** An event that the store keeps. */
export interface StoredEvent extends Event {
  /** The payload as people see it, with its event id. */
  readonly normalized: Omit<Payload, 'level' | 'timestamp'> & { event_id: string; level: string; timestamp: string };
  readonly issueId: string;
  readonly fingerprint: string;
  /** Microseconds since the epoch. */
  readonly receivedAtMicros: number;
  /** File and zero-based line of the payload. */
  readonly raw: { readonly path: string; readonly line: number };
}

/** Events that pass the pipeline together: at most 500 for processors, `sending_queue.max_batch_events` for exporters. */
export interface Batch<E extends Event = Event> {
  readonly events: readonly E[];
}

/** An event that is dropped on purpose, counted in the ledger under a code such as `NOT_OURS`. */
export interface Dropped {
  readonly kind: 'dropped';
  readonly as: 'filtered' | 'sampled';
  readonly reason: string;
}

/** An event that could not be handled; `error_mode` decides what happens to it. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

/** What became of an event: for a receiver that sent it, or by an exporter. */
export type Outcome =
  | { readonly kind: 'stored' }
  | Dropped
  /** It is not a payload: `field` is a JSON pointer. The dead letters keep it. */
  | { readonly kind: 'rejected'; readonly code: string; readonly field: string; readonly reason: string }
  /** It is not stored: send it again later if `retryable`. */
  | { readonly kind: 'refused'; readonly reason: string; readonly retryable: boolean };

/** Takes a batch and returns one result per event, in the same order. Throws if it refuses all of the batch. */
export interface Consumer<E extends Event, Result> {
  consume(batch: Batch<E>): Promise<readonly Result[]>;
}

/** A part of the collector. Exporters start first and receivers last; they stop in the reverse order. */
export interface Component {
  /** Throws if it cannot start, which ends the start of the collector. `stop` is aborted when the collector stops. */
  start?(stop?: AbortSignal): Promise<void>;
  /** Called once after a `start` that resolved; afterwards the component does nothing. */
  shutdown?(): Promise<void>;
}

/** Middleware of Express, without the types of Express. */
export type RequestHandler = (request: object, response: object, next: (error?: unknown) => void) => void;

/** Who may call a route. `allowedOrigins` are those of web pages that may call, for example `https://shop.example`; default none. */
export type AccessRule =
  /** Everyone who reaches the endpoint. */
  | { readonly kind: 'open'; readonly allowedOrigins?: readonly string[] }
  /** Programs on this machine, through an endpoint that no other machine reaches. */
  | { readonly kind: 'local' }
  /** Callers with a token of the extension with the id `authenticator`, for example `bearertokenauth`. */
  | { readonly kind: 'token'; readonly authenticator: string; readonly allowedOrigins?: readonly string[] };

/** The routes of a component on one endpoint. They are open from the end of its `start` until its `shutdown`, and answer 503 otherwise. */
export interface EndpointRoutes {
  /** `host:port`. Components with the same text share a server, also those of the collector. */
  readonly endpoint: string;
  /** An `express.Router()` with routes only, each of which begins with `...context.allow(rule)`. */
  readonly router: (request: never, response: never, next: never) => unknown;
  /** Host names allowed besides loopback names and the endpoint's own. Default none. */
  readonly allowedHosts?: readonly string[];
}

/** What a component serves over HTTP. */
interface Serves {
  /** Default: nothing. */
  readonly routes?: readonly EndpointRoutes[];
  /** Called when its routes refuse requests: ends what lasts, such as streams, while the other requests are drained. */
  drain?(): Promise<void>;
}

/** Sends what it receives to `context.consumer`. */
export interface Receiver extends Component, Serves {
  /** Where it receives, for people. Default: nothing. */
  readonly urls?: readonly string[];
}

/** Returns for each event what goes on, the same object if unchanged, or a drop. */
export interface Processor extends Component, Consumer<Event, Event | Dropped | Failed> {}

/** Gets every event of the store at least once, in order; while it throws, it gets the same batch again. */
export interface Exporter extends Component, Consumer<StoredEvent, Outcome> {
  /** Where it sends, for people. Default: its id. */
  readonly destination?: string;
}

/** Runs beside the pipelines. */
export interface Extension extends Component, Serves {
  /** Its address, for people. Default: none. */
  readonly url?: string;
}

/** A line of the collector's log. Event text does not belong there. */
export type LogLine = (fields: object, text: string) => void;

/** What every component gets. */
export interface Context {
  /** The configured id: `type` or `type/name`. */
  readonly id: string;
  readonly logger: { readonly debug: LogLine; readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine };
  /** Adds to the metric `faultline_plugin_items_total{component, name}`, default 1. */
  readonly metrics: { count(name: string, by?: number): void };
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Monotonic milliseconds. */
    monotonic(): number;
  };
  /** Counts of events since the start of the process, by receiver: received, stored, rejected, filtered, sampled, refused. */
  readonly ledger: { snapshot(): Readonly<Record<string, object>> };
}

/** What a component with routes gets. */
export interface EndpointContext extends Context {
  /** Creates the first middleware of a route, which says who may call it. The next ones get the requests and responses of an Express application. */
  allow(rule: AccessRule): RequestHandler[];
}

/** What a receiver gets. */
export interface ReceiverContext extends EndpointContext {
  /** Checks payloads and stores them; resolves when each is durable or has another outcome. Never throws. */
  readonly consumer: Consumer<Event, Outcome>;
}

/** A type of component. */
export interface Factory<Built, Given extends Context = Context, Settings = never> {
  /** One line. */
  readonly description: string;
  /** `stable`: settings and output stay compatible. `beta`: settings may change, noted in the change log. `alpha`: anything may change. */
  readonly stability: 'stable' | 'beta' | 'alpha';
  /**
   * JSON Schema of its settings: a map with `properties`, `required`, `default`, `enum`, `items`, limits, `description`, and `writeOnly` for secrets;
   * no `$ref`. Keys that it does not list are refused. `error_mode` and `timeout` are added.
   */
  readonly schema: object;
  /** Gets settings that match the schema, with defaults. Opens nothing: that is for `start`. */
  create(settings: Settings, context: Given): Built;
}

/** The exports of a plugin: components by type, such as `{ processors: { tenant_owner: { … } } }`. */
export interface Plugin {
  /** Default: the version of its package. */
  readonly version?: string;
  readonly receivers?: Readonly<Record<string, Factory<Receiver, ReceiverContext>>>;
  readonly processors?: Readonly<Record<string, Factory<Processor>>>;
  readonly exporters?: Readonly<Record<string, Factory<Exporter>>>;
  readonly extensions?: Readonly<Record<string, Factory<Extension, EndpointContext>>>;
}
