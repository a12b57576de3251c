import type { JsonObject } from '../../../core/event/json.js';
import { readErrorFields } from './error-fields.js';
import { knownSpanExtra, logExtra, scopeExtra, spanEventExtra, spanExtra } from './failure-extra.js';
import { FieldSource } from './field-source.js';
import type { JoinedSpans } from './known-span.js';
import { attributesOf, hasException, type OtlpFailure, timeOf, traceOf } from './otlp-failure.js';
import type { OtlpLogRecord, OtlpScope } from './otlp-records.js';
import { putFilled } from './put-filled.js';
import type { RequestFieldReader } from './request-fields.js';
import { createResourceReader, type ResourceDefaults } from './resource-fields.js';
import { levelOfSeverity } from './severity.js';
import { timestampOfUnixNano } from './unix-nano.js';

/** What an operator decides of the mapping. */
export interface FailureMapperOptions {
  readonly defaults: ResourceDefaults;
  readonly requestFields: RequestFieldReader;
}

/** The payload of a failure, with the spans around it; what no field holds lies typed in `extra.otlp`. */
export type FailureMapper = (failure: OtlpFailure, joined: JoinedSpans) => JsonObject;

/** The sources of a failure's fields, by what they describe. */
interface Sources {
  readonly own: FieldSource;
  readonly span: FieldSource | undefined;
  /** Undefined where it is the span itself. */
  readonly server: FieldSource | undefined;
}

/** Names of span kinds by their number. */
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
/** Spans of these kinds describe a request to somebody else: the one that was being answered comes before it. */
const OUTGOING_KINDS: readonly number[] = [3, 4];

/** Builds the mapper. */
export function createFailureMapper({ defaults, requestFields }: FailureMapperOptions): FailureMapper {
  const readResource = createResourceReader(defaults);

  return (failure, joined) => {
    const { resource, scope } = failure.signal === 'log' ? failure.record : failure.span;
    const ofResource = readResource(resource);
    const sources = sourcesOf(failure, joined);
    const error = readErrorFields(sources.own, wordsOf(failure));
    const request = requestFields.read(inOrder(sources, spanOf(failure, joined)?.kind), traceOf(failure).traceId);
    const otlp: JsonObject = {};
    putFilled(otlp, 'resource', ofResource.extra);
    putFilled(otlp, 'scope', scopeExtra(scope));
    return {
      ...ofResource.fields,
      ...error,
      ...request,
      level: failure.signal === 'log' ? levelOfLog(failure.record) : 'error',
      timestamp: timestampOfUnixNano(timeOf(failure)),
      tags: { ...tagsOf(failure, scope, joined), ...ofResource.tags },
      extra: { otlp: { ...otlp, ...extraOf(failure, joined, sources, error) } },
    };
  };
}

function sourcesOf(failure: OtlpFailure, { own, server }: JoinedSpans): Sources {
  const ofSpan = failure.signal === 'span_event' ? failure.span.attributes : own?.attributes;
  const isServerApart = server !== undefined && server.spanId !== traceOf(failure).spanId;
  return {
    own: new FieldSource(attributesOf(failure)),
    span: ofSpan && new FieldSource(ofSpan),
    server: isServerApart ? new FieldSource(server.attributes) : undefined,
  };
}

/** Nearest first. */
function inOrder({ own, span, server }: Sources, kind: number | undefined): FieldSource[] {
  const isOutgoing = kind !== undefined && OUTGOING_KINDS.includes(kind);
  const spans = isOutgoing ? [server, span] : [span, server];
  return [own, ...spans.filter((source) => source !== undefined)];
}

function wordsOf(failure: OtlpFailure) {
  if (failure.signal === 'log') {
    const { body, eventName } = failure.record;
    return { body, eventName, spanStatusMessage: '' };
  }
  return { body: null, eventName: failure.event.name, spanStatusMessage: failure.span.statusMessage };
}

function levelOfLog(record: OtlpLogRecord): string {
  const level = levelOfSeverity(record.severityNumber, record.severityText);
  return level ?? (hasException(record.attributes) ? 'error' : 'info');
}

function spanOf(
  failure: OtlpFailure,
  { own }: JoinedSpans,
): { readonly name: string; readonly kind: number } | undefined {
  return failure.signal === 'span_event' ? failure.span : own;
}

function tagsOf(failure: OtlpFailure, scope: OtlpScope, joined: JoinedSpans): Record<string, string> {
  const { traceId, spanId } = traceOf(failure);
  const span = spanOf(failure, joined);
  const tags = {
    trace_id: traceId,
    span_id: spanId,
    'event.name': failure.signal === 'log' ? failure.record.eventName : failure.event.name,
    'otel.scope.name': scope.name,
    'otel.scope.version': scope.version,
    'span.name': span?.name ?? '',
    'span.kind': span === undefined ? '' : (KINDS[span.kind] ?? String(span.kind)),
    'otlp.signal': failure.signal,
  };
  return Object.fromEntries(Object.entries(tags).filter(([, tag]) => tag !== ''));
}

function extraOf(failure: OtlpFailure, joined: JoinedSpans, sources: Sources, error: JsonObject): JsonObject {
  const { own, server } = joined;
  const extra =
    failure.signal === 'log'
      ? logExtra(failure.record, sources.own, error['message'])
      : spanEventExtra(failure.event, sources.own);
  if (sources.span !== undefined) {
    if (failure.signal === 'span_event') extra['span'] = spanExtra(failure.span, sources.span);
    else if (own !== undefined) extra['span'] = knownSpanExtra(own, sources.span);
  }
  if (server !== undefined && sources.server !== undefined) {
    extra['server_span'] = knownSpanExtra(server, sources.server);
  }
  return extra;
}
