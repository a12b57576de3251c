import { LRUCache } from 'lru-cache';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { digestOf } from '../../intake/failure-digest.js';
import { attributeOf, originOfLog } from '../mapping/map-log.js';
import { isOfRequest } from '../mapping/map-status.js';
import { sentTimeMs } from '../mapping/map-time.js';
import { asText, at } from '../mapping/map-values.js';
import { exceptionsInServerLine, isServerLine } from './server-lines.js';

/** An exception that may have ended its request. */
interface EndedRequest {
  /** Milliseconds since the epoch by the sender's clock. */
  readonly timeMs: number;
  /** Its own span and the one above. */
  readonly spanIds: readonly string[];
  readonly isUnhandled: boolean;
  /** Digest of its class and message. */
  readonly named: number | undefined;
  /** Whether an entry was paired with it. */
  isLogged: boolean;
}

const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;
/** Exceptions of one key. */
const MAX_OF_KEY = 100;
/** How long after an exception any logger is taken for its framework. */
const MAX_PASSED_MS = 1_000;
/** How long after an exception its server logs it: the first failure of a JVM loads many classes. */
const MAX_SERVER_DELAY_MS = 5_000;
/** Origins of entries that an SDK read from a logger, whose errors SDKs also send as events unless the exception was sent before. */
const LOGGER_ORIGIN = 'auto.log.';

/** Recent exceptions of events, each of which is paired with one log entry by which a framework says that it ended a request. */
export class EndedRequests {
  readonly #byKey: LRUCache<string, EndedRequest[]>;

  /** `nowMs`: monotonic milliseconds. */
  constructor(nowMs: () => number) {
    const bounds = { maxSize: MAX_KEYS, sizeCalculation: () => 1 };
    this.#byKey = new LRUCache({ ...bounds, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /** Adds the exception of an event; returns how to forget it. */
  add(event: JsonObject, exception: JsonValue, projectId: string): () => void {
    const trace = at(at(event, 'contexts'), 'trace');
    const isUnhandled = at(at(exception, 'mechanism'), 'handled') === false;
    const ended: EndedRequest = {
      timeMs: sentTimeMs(event),
      spanIds: [asText(at(trace, 'span_id')) ?? '', asText(at(trace, 'parent_span_id'))].filter(
        (id) => id !== undefined,
      ),
      isUnhandled,
      named: digestOf(nameOf(exception)),
      isLogged: false,
    };
    this.#add(keyOfTrace(projectId, at(trace, 'trace_id')), ended);
    if (isUnhandled && isOfRequest(event)) {
      this.#add(keyOfServer(projectId, at(event, 'server_name')), ended);
    }
    return () => {
      ended.isLogged = true;
    };
  }

  /**
   * Whether a log entry is what a framework logs after the exception of an event: any entry right after an unhandled one of its span, or the
   * line of a server after any of its span or, because servers log outside of the trace, after an unhandled one of its host.
   */
  isOfEvent(entry: JsonObject, projectId: string): boolean {
    if (originOfLog(entry)?.startsWith(LOGGER_ORIGIN) !== true) return false;
    const body = asText(at(entry, 'body')) ?? '';
    const isOfServer = isServerLine(body);
    const spanId = asText(at(entry, 'span_id')) ?? '';
    const isBefore = isFollowedBy(sentTimeMs(entry), isOfServer ? MAX_SERVER_DELAY_MS : MAX_PASSED_MS);
    const ofTrace = this.#find(
      keyOfTrace(projectId, at(entry, 'trace_id')),
      (ended) => (ended.isUnhandled || isOfServer) && ended.spanIds.includes(spanId) && isBefore(ended),
    );
    if (ofTrace || !isOfServer) return ofTrace;
    const quoted = exceptionsInServerLine(body).map(digestOf);
    const isQuoted = ({ named }: EndedRequest) => quoted.length === 0 || quoted.includes(named);
    const server = attributeOf(at(entry, 'attributes'), 'server.address');
    return this.#find(keyOfServer(projectId, server), (ended) => isQuoted(ended) && isBefore(ended));
  }

  #add(key: string | undefined, ended: EndedRequest): void {
    if (key === undefined) return;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [ended]);
    else if (known.push(ended) > MAX_OF_KEY) known.shift();
  }

  /** Whether there is one that fits, which is paired then. */
  #find(key: string | undefined, fits: (ended: EndedRequest) => boolean): boolean {
    const known = key === undefined ? undefined : this.#byKey.get(key);
    const ended = known?.find((one) => !one.isLogged && fits(one));
    if (ended === undefined) return false;
    ended.isLogged = true;
    return true;
  }
}

function isFollowedBy(timeMs: number, maxPassedMs: number): (ended: EndedRequest) => boolean {
  return (ended) => timeMs - ended.timeMs >= 0 && timeMs - ended.timeMs <= maxPassedMs;
}

function keyOfTrace(projectId: string, traceId: JsonValue | undefined): string | undefined {
  const id = asText(traceId);
  return id === undefined ? undefined : `${projectId} ${id}`;
}

function keyOfServer(projectId: string, server: JsonValue | undefined): string | undefined {
  const name = asText(server);
  return name === undefined ? undefined : `${projectId} on ${name}`;
}

/** Class with module, and message, as a stack prints them. */
function nameOf(exception: JsonValue): string {
  const [module, type, value] = ['module', 'type', 'value'].map((key) => asText(at(exception, key)));
  const qualified = module === undefined ? type : `${module}.${type}`;
  return value === undefined ? `${qualified}` : `${qualified}: ${value}`;
}
