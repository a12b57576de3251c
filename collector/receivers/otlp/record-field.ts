/** What of a log record its fields tell that events have as tags. */
interface RecordFields {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly scope: { readonly name?: string | undefined; readonly version?: string | undefined };
}

/** What a record says in a field of its own, by the tag that the receiver makes of it; undefined for other tags. */
export function recordField({ traceId, spanId, eventName, scope }: RecordFields, tag: string): string | undefined {
  switch (tag) {
    case 'trace_id':
      return traceId;
    case 'span_id':
      return spanId;
    case 'event.name':
      return eventName;
    case 'otel.scope.name':
      return scope.name;
    case 'otel.scope.version':
      return scope.version;
    default:
      return undefined;
  }
}
