// Generated from schema.json by `npm run schema`. Change the schema, not this file.

/**
 * The whole configuration of Faultline. A section that is left empty (null) is a default instance of itself.
 */
export interface Settings {
  receivers: ReceiversSettings;
  processors: ProcessorsSettings;
  exporters: ExportersSettings;
  extensions: ExtensionsSettings;
  grouping: GroupingSectionSettings;
  service: ServiceSettings;
}

/**
 * What takes events in, by component id: `type` or `type/name`. A receiver runs only when a pipeline names it.
 */
export interface ReceiversSettings {
  [id: string]: EventsReceiverSettings | OtlpReceiverSettings | SentryReceiverSettings | FileLogReceiverSettings;
}

/**
 * Receiver `events`: takes raw payloads by `POST /v1/events`, as one JSON object, an array or NDJSON.
 */
export interface EventsReceiverSettings {
  /**
   * Address to listen on, `host:port`. `:4318` listens on every network interface, port 0 takes any free port. Components with the same endpoint share one server. Default `localhost:4318`.
   */
  endpoint: string;
  defaults: EventsReceiverDefaults;
  /**
   * Largest request body after decompression, in bytes or with a unit (`500KB`, `64MiB`). A larger one is answered 413. Default `64MiB`.
   */
  max_request_body_size: string;
  /**
   * Most events in one request. Default 100000.
   */
  max_events_per_request: number;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reaching the collector through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
  cors: CorsSettings;
  /**
   * How long a request with an `Idempotency-Key` is remembered, so that a repeated one is answered as the first and stored once, a duration; `0`: never. The last 10,000 are remembered; of an answer over 1 KiB only how many events were accepted. At most `24h`. Default `10m`.
   */
  idempotency_window: string;
  limits: EventLimits;
  tls?: TlsServerSettings;
  auth: AuthSettings;
  /**
   * Whether the endpoint may be reached from other machines without `auth`. Without it such a configuration is refused. Default false.
   */
  allow_without_token: boolean;
  connections: ConnectionSettings;
}

/**
 * Values for events that do not say themselves where they come from. An event that lacks one of these and finds none here is rejected. Default none.
 */
export interface EventsReceiverDefaults {
  /**
   * Application name of events without `app`. Absent: an event must name it.
   */
  app?: string;
  /**
   * Service name of events without `service`. Absent: an event must name it.
   */
  service?: string;
  /**
   * Environment name of events without `env`. Absent: an event must name it.
   */
  env?: string;
}

/**
 * Which web pages may send here. A request that names an `Origin` not listed is refused; programs name none.
 */
export interface CorsSettings {
  /**
   * Origins such as `https://shop.example.com`; `*` stands for any part of the host, or for the port, and alone for every origin. Default none.
   */
  allowed_origins: string[];
  /**
   * Request headers that a page may set beyond `content-type`, `content-encoding` and those of the receiver's protocol. Default none.
   */
  allowed_headers: string[];
  /**
   * How long a browser may remember the answer to a preflight, a duration. Default `2h`.
   */
  max_age: string;
}

/**
 * How large one event and its parts may be. A larger event is rejected; its parts are cut to their limits, and the event says which.
 */
export interface EventLimits {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
  /**
   * Most members of objects and elements of arrays in one event, at all depths. A larger event is rejected before it is parsed. Default 10000.
   */
  max_members: number;
  /**
   * Longest string of an event but its stack, in UTF-16 code units. Default 1048576.
   */
  max_string_length: number;
  /**
   * Longest stack trace, in UTF-16 code units. Default 1048576.
   */
  max_stack_length: number;
  /**
   * Deepest nesting of objects and arrays inside `extra`, at most 1000. Default 64.
   */
  max_depth: number;
  /**
   * Most tags of one event. Default 1000.
   */
  max_tags: number;
}

/**
 * TLS of an endpoint. Absent: none, and what is sent can be read on the way. Components of one endpoint have the same.
 */
export interface TlsServerSettings {
  /**
   * Path of the certificate with its chain, PEM.
   */
  cert_file: string;
  /**
   * Path of its private key, PEM.
   */
  key_file: string;
  /**
   * Path of the certificates that sign those of clients, PEM: then every client must show one (mutual TLS). Absent: clients need none.
   */
  client_ca_file?: string;
  /**
   * Oldest version of TLS that is spoken. Default `1.2`.
   */
  min_version: '1.2' | '1.3';
  /**
   * How often the files are looked at; changed ones count for new connections, a duration; `0`: only when the configuration is loaded again. Default `1m`.
   */
  reload_interval: string;
}

/**
 * Who may call an endpoint.
 */
export interface AuthSettings {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Bounds on the connections and requests of an endpoint. Components of one endpoint have the same.
 */
export interface ConnectionSettings {
  /**
   * Most connections at a time. Beyond it the connection that has kept a request unfinished or idled longest is closed for a new one. Default 2048.
   */
  max_connections: number;
  /**
   * Most connections of one client address at a time; more are closed at once; 0: no bound. Default 0.
   */
  max_connections_per_client: number;
  /**
   * How long a client may take for its handshake and for the headers of a request, a duration; over gRPC: for handshake and preface, headers of a call have `idle_timeout`. Default `15s`.
   */
  read_header_timeout: string;
  /**
   * How long a client may take for a whole request, a duration; over gRPC: for the message of a call. Default `5m`.
   */
  read_timeout: string;
  /**
   * Least number of bytes that a client must send of a body in each second, after its first 10 seconds; 0: no bound. Default `256B`.
   */
  min_body_rate: string;
  /**
   * How long a connection without a request is kept, a duration. Default `65s`.
   */
  idle_timeout: string;
  /**
   * Requests of one client address in a second, on average; more are answered 429 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; 0: no bound. Default 0.
   */
  requests_per_second: number;
  /**
   * Requests that one client address may send at once under `requests_per_second`. Default 100.
   */
  request_burst: number;
}

/**
 * Receiver `otlp`: takes logs and traces of OpenTelemetry SDKs and Collectors. Log records with an exception or of an error severity, and exceptions recorded on spans, become events; the rest is counted and dropped.
 */
export interface OtlpReceiverSettings {
  protocols: OtlpProtocols;
  /**
   * Lowest severity of a log record that becomes an event without carrying an exception. Default `error`.
   */
  min_severity: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Attributes that hold the request id, the first that is there counts; after them come the request's and the response's `x-request-id`, then the trace id. Default `request_id`, `request.id`, `req_id`, `reqId`.
   */
  request_id_attributes: string[];
  /**
   * How long an exception's trace is remembered: to find the server span of an exception in an earlier request, and to store an exception once that several spans or a log record repeat. A duration; `0`: within one request only. At most `10m`. Default `30s`.
   */
  join_window: string;
  /**
   * Whether a record of another Faultline may say for how many events it stands, as those that its `sample` and `rate_limit` kept do. Only for senders that you trust: one such record can raise the count of an issue by any number. Where it is false each record counts once. Default false.
   */
  accept_sampled_counts: boolean;
  defaults: OtlpReceiverDefaults;
  limits: EventLimits1;
}

/**
 * How OTLP is spoken; a protocol that is left out is not served. Default both.
 */
export interface OtlpProtocols {
  http?: OtlpHttpSettings;
  grpc?: OtlpGrpcSettings;
}

/**
 * OTLP over HTTP, JSON and protobuf.
 */
export interface OtlpHttpSettings {
  /**
   * Address to listen on, `host:port`. `:4318` listens on every network interface, port 0 takes any free port. Components with the same endpoint share one server. Default `localhost:4318`.
   */
  endpoint: string;
  /**
   * Path that takes logs. Default `/v1/logs`.
   */
  logs_url_path: string;
  /**
   * Path that takes traces. Default `/v1/traces`.
   */
  traces_url_path: string;
  /**
   * Largest request body after decompression, in bytes or with a unit (`500KB`, `64MiB`). A larger one is answered 413. Default `64MiB`.
   */
  max_request_body_size: string;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reaching the collector through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
  cors: CorsSettings1;
  tls?: TlsServerSettings;
  auth: AuthSettings1;
  /**
   * Whether the endpoint may be reached from other machines without `auth`. Without it such a configuration is refused. Default false.
   */
  allow_without_token: boolean;
  connections: ConnectionSettings1;
}

/**
 * Which web pages may send here. A request that names an `Origin` not listed is refused; programs name none.
 */
export interface CorsSettings1 {
  /**
   * Origins such as `https://shop.example.com`; `*` stands for any part of the host, or for the port, and alone for every origin. Default none.
   */
  allowed_origins: string[];
  /**
   * Request headers that a page may set beyond `content-type`, `content-encoding` and those of the receiver's protocol. Default none.
   */
  allowed_headers: string[];
  /**
   * How long a browser may remember the answer to a preflight, a duration. Default `2h`.
   */
  max_age: string;
}

/**
 * Who may call an endpoint.
 */
export interface AuthSettings1 {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Bounds on the connections and requests of an endpoint. Components of one endpoint have the same.
 */
export interface ConnectionSettings1 {
  /**
   * Most connections at a time. Beyond it the connection that has kept a request unfinished or idled longest is closed for a new one. Default 2048.
   */
  max_connections: number;
  /**
   * Most connections of one client address at a time; more are closed at once; 0: no bound. Default 0.
   */
  max_connections_per_client: number;
  /**
   * How long a client may take for its handshake and for the headers of a request, a duration; over gRPC: for handshake and preface, headers of a call have `idle_timeout`. Default `15s`.
   */
  read_header_timeout: string;
  /**
   * How long a client may take for a whole request, a duration; over gRPC: for the message of a call. Default `5m`.
   */
  read_timeout: string;
  /**
   * Least number of bytes that a client must send of a body in each second, after its first 10 seconds; 0: no bound. Default `256B`.
   */
  min_body_rate: string;
  /**
   * How long a connection without a request is kept, a duration. Default `65s`.
   */
  idle_timeout: string;
  /**
   * Requests of one client address in a second, on average; more are answered 429 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; 0: no bound. Default 0.
   */
  requests_per_second: number;
  /**
   * Requests that one client address may send at once under `requests_per_second`. Default 100.
   */
  request_burst: number;
}

/**
 * OTLP over gRPC.
 */
export interface OtlpGrpcSettings {
  /**
   * Address to listen on, `host:port`. `:4317` listens on every network interface, port 0 takes any free port. It is shared with nothing else. Default `localhost:4317`.
   */
  endpoint: string;
  /**
   * Largest message after decompression, in bytes or with a unit. A larger one is answered RESOURCE_EXHAUSTED. At most `2GiB` less one byte. Default `64MiB`.
   */
  max_recv_msg_size: string;
  tls?: TlsServerSettings;
  auth: AuthSettings2;
  /**
   * Whether the endpoint may be reached from other machines without `auth`. Without it such a configuration is refused. Default false.
   */
  allow_without_token: boolean;
  connections: ConnectionSettings2;
}

/**
 * Who may call an endpoint.
 */
export interface AuthSettings2 {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Bounds on the connections and requests of an endpoint. Components of one endpoint have the same.
 */
export interface ConnectionSettings2 {
  /**
   * Most connections at a time. Beyond it the connection that has kept a request unfinished or idled longest is closed for a new one. Default 2048.
   */
  max_connections: number;
  /**
   * Most connections of one client address at a time; more are closed at once; 0: no bound. Default 0.
   */
  max_connections_per_client: number;
  /**
   * How long a client may take for its handshake and for the headers of a request, a duration; over gRPC: for handshake and preface, headers of a call have `idle_timeout`. Default `15s`.
   */
  read_header_timeout: string;
  /**
   * How long a client may take for a whole request, a duration; over gRPC: for the message of a call. Default `5m`.
   */
  read_timeout: string;
  /**
   * Least number of bytes that a client must send of a body in each second, after its first 10 seconds; 0: no bound. Default `256B`.
   */
  min_body_rate: string;
  /**
   * How long a connection without a request is kept, a duration. Default `65s`.
   */
  idle_timeout: string;
  /**
   * Requests of one client address in a second, on average; more are answered 429 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; 0: no bound. Default 0.
   */
  requests_per_second: number;
  /**
   * Requests that one client address may send at once under `requests_per_second`. Default 100.
   */
  request_burst: number;
}

/**
 * Names for records whose resource does not give them.
 */
export interface OtlpReceiverDefaults {
  /**
   * Application name of records without `service.namespace`. Absent: the name of their service.
   */
  app?: string;
  /**
   * Service name of records without `service.name`. Default `unknown_service`.
   */
  service: string;
  /**
   * Environment name of records without `deployment.environment.name`. Default `production`.
   */
  env: string;
}

/**
 * How large one event and its parts may be. A larger event is rejected; its parts are cut to their limits, and the event says which.
 */
export interface EventLimits1 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
  /**
   * Most members of objects and elements of arrays in one event, at all depths. A larger event is rejected before it is parsed. Default 10000.
   */
  max_members: number;
  /**
   * Longest string of an event but its stack, in UTF-16 code units. Default 1048576.
   */
  max_string_length: number;
  /**
   * Longest stack trace, in UTF-16 code units. Default 1048576.
   */
  max_stack_length: number;
  /**
   * Deepest nesting of objects and arrays inside `extra`, at most 1000. Default 64.
   */
  max_depth: number;
  /**
   * Most tags of one event. Default 1000.
   */
  max_tags: number;
}

/**
 * Receiver `sentry`: takes envelopes and events of Sentry SDKs. Errors, messages and log entries of an error level become events; the rest is counted and dropped.
 */
export interface SentryReceiverSettings {
  /**
   * Address to listen on, `host:port`. `:4318` listens on every network interface, port 0 takes any free port. Components with the same endpoint share one server. Default `localhost:4318`.
   */
  endpoint: string;
  /**
   * Path in front of `/api/<project>/envelope/`, as in a DSN with a path. Absent: none.
   */
  path_prefix?: string;
  /**
   * Further path that takes envelopes whose DSN stands in their header, for the `tunnel` option of browser SDKs. Absent: none.
   */
  tunnel_path?: string;
  projects: SentryProjects;
  /**
   * Lowest level of a `log` item that becomes an event. Default `error`.
   */
  min_log_level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * How long the id of an event is remembered, so that one that is sent again is stored once, a duration; `0`: never. The last 100,000 are remembered. At most `24h`. Default `10m`.
   */
  idempotency_window: string;
  /**
   * Largest request body after decompression, in bytes or with a unit (`500KB`, `64MiB`). A larger one is answered 413. Default `200MiB`.
   */
  max_request_body_size: string;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reaching the collector through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
  cors: CorsSettings2;
  limits: EventLimits2;
  tls?: TlsServerSettings;
  auth: AuthSettings3;
  /**
   * Whether the endpoint may be reached from other machines without `auth`. Without it such a configuration is refused. Default false.
   */
  allow_without_token: boolean;
  connections: ConnectionSettings3;
}

/**
 * Projects by id, a number of at most 20 digits as in a DSN. With none any project and key is taken, and its events are named `project-<id>`.
 */
export interface SentryProjects {
  [id: string]: SentryProjectSettings;
}

/**
 * One project: who may send to it, and what its events are called when they do not say so themselves.
 */
export interface SentryProjectSettings {
  /**
   * The key of its DSN, letters, digits and `_`. Absent: any key.
   */
  public_key?: string;
  /**
   * Application name of its events. Absent: what the event says, else `project-<id>`.
   */
  app?: string;
  /**
   * Service name of events that name none. Absent: the application's name.
   */
  service?: string;
  /**
   * Environment name of events that name none. Default `production`.
   */
  env: string;
}

/**
 * Which web pages may send here. A request that names an `Origin` not listed is refused; programs name none.
 */
export interface CorsSettings2 {
  /**
   * Origins such as `https://shop.example.com`; `*` stands for any part of the host, or for the port, and alone for every origin. Default none.
   */
  allowed_origins: string[];
  /**
   * Request headers that a page may set beyond `content-type`, `content-encoding` and those of the receiver's protocol. Default none.
   */
  allowed_headers: string[];
  /**
   * How long a browser may remember the answer to a preflight, a duration. Default `2h`.
   */
  max_age: string;
}

/**
 * How large one event and its parts may be. A larger event is rejected; its parts are cut to their limits, and the event says which.
 */
export interface EventLimits2 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
  /**
   * Most members of objects and elements of arrays in one event, at all depths. A larger event is rejected before it is parsed. Default 10000.
   */
  max_members: number;
  /**
   * Longest string of an event but its stack, in UTF-16 code units. Default 1048576.
   */
  max_string_length: number;
  /**
   * Longest stack trace, in UTF-16 code units. Default 1048576.
   */
  max_stack_length: number;
  /**
   * Deepest nesting of objects and arrays inside `extra`, at most 1000. Default 64.
   */
  max_depth: number;
  /**
   * Most tags of one event. Default 1000.
   */
  max_tags: number;
}

/**
 * Who may call an endpoint.
 */
export interface AuthSettings3 {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Bounds on the connections and requests of an endpoint. Components of one endpoint have the same.
 */
export interface ConnectionSettings3 {
  /**
   * Most connections at a time. Beyond it the connection that has kept a request unfinished or idled longest is closed for a new one. Default 2048.
   */
  max_connections: number;
  /**
   * Most connections of one client address at a time; more are closed at once; 0: no bound. Default 0.
   */
  max_connections_per_client: number;
  /**
   * How long a client may take for its handshake and for the headers of a request, a duration; over gRPC: for handshake and preface, headers of a call have `idle_timeout`. Default `15s`.
   */
  read_header_timeout: string;
  /**
   * How long a client may take for a whole request, a duration; over gRPC: for the message of a call. Default `5m`.
   */
  read_timeout: string;
  /**
   * Least number of bytes that a client must send of a body in each second, after its first 10 seconds; 0: no bound. Default `256B`.
   */
  min_body_rate: string;
  /**
   * How long a connection without a request is kept, a duration. Default `65s`.
   */
  idle_timeout: string;
  /**
   * Requests of one client address in a second, on average; more are answered 429 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; 0: no bound. Default 0.
   */
  requests_per_second: number;
  /**
   * Requests that one client address may send at once under `requests_per_second`. Default 100.
   */
  request_burst: number;
}

/**
 * Receiver `file_log`: follows log files and collects the stack traces and the JSON lines of an error level that are written to them.
 */
export interface FileLogReceiverSettings {
  /**
   * Paths of the files to follow, with `*`, `**`, `?` and `{a,b}`. A relative path counts from the folder in which Faultline was started.
   *
   * @minItems 1
   */
  include: string[];
  /**
   * Paths to leave out, in the same form. Default none.
   */
  exclude: string[];
  /**
   * Where a file begins that is there when Faultline looks for the first time and of which no checkpoint is kept; files that appear later are read from their beginning. Default `end`.
   */
  start_at: 'end' | 'beginning';
  /**
   * Time between two looks at the files, a duration. Default `200ms`.
   */
  poll_interval: string;
  /**
   * How long the beginning of a stack trace, or of a line, waits for the rest, a duration. Default `500ms`.
   */
  force_flush_period: string;
  /**
   * Longest line in bytes or with a unit; a longer one is cut there. Default `1MiB`.
   */
  max_log_size: string;
  /**
   * Most files that are followed at a time; more are left alone with a warning. Default 1000.
   */
  max_files: number;
  /**
   * Lowest level of a JSON line that becomes an event. Default `error`.
   */
  min_severity: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  storage: FileLogStorageSettings;
  defaults: FileLogDefaults;
  limits: EventLimits3;
}

/**
 * Where it is kept how far each file was read.
 */
export interface FileLogStorageSettings {
  /**
   * Folder for it; made when absent. Default `./faultline-file-log`.
   */
  directory: string;
}

/**
 * Names for events of files; a JSON line may give its own.
 */
export interface FileLogDefaults {
  /**
   * Application name. Absent: the service's name.
   */
  app?: string;
  /**
   * Service name. Absent: the file's name without its extension.
   */
  service?: string;
  /**
   * Environment name. Default `production`.
   */
  env: string;
}

/**
 * How large one event and its parts may be. A larger event is rejected; its parts are cut to their limits, and the event says which.
 */
export interface EventLimits3 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
  /**
   * Most members of objects and elements of arrays in one event, at all depths. A larger event is rejected before it is parsed. Default 10000.
   */
  max_members: number;
  /**
   * Longest string of an event but its stack, in UTF-16 code units. Default 1048576.
   */
  max_string_length: number;
  /**
   * Longest stack trace, in UTF-16 code units. Default 1048576.
   */
  max_stack_length: number;
  /**
   * Deepest nesting of objects and arrays inside `extra`, at most 1000. Default 64.
   */
  max_depth: number;
  /**
   * Most tags of one event. Default 1000.
   */
  max_tags: number;
}

/**
 * What happens to events between receivers and exporters, by component id: `type` or `type/name`. A processor runs only when a pipeline names it, in the order of the pipeline.
 */
export interface ProcessorsSettings {
  [id: string]:
    | MemoryLimiterProcessorSettings
    | FilterProcessorSettings
    | AttributesProcessorSettings
    | RedactionProcessorSettings
    | RateLimitProcessorSettings
    | SampleProcessorSettings;
}

/**
 * Processor `memory_limiter`: refuses events, so that their senders come again, while the process uses too much memory. It belongs first.
 */
export interface MemoryLimiterProcessorSettings {
  /**
   * How often memory is measured, a duration. Default `1s`.
   */
  check_interval: string;
  /**
   * Most memory of the process in MiB; 0: as `limit_percentage` says. Default 0.
   */
  limit_mib: number;
  /**
   * How far below the limit events are refused, in MiB; 0: a fifth of the limit. Default 0.
   */
  spike_limit_mib: number;
  /**
   * Most memory of the process in percent of what there is: of its control group where that is bounded, else of the machine. Default 75.
   */
  limit_percentage: number;
  /**
   * As `spike_limit_mib`, in percent of what there is; counts beside `limit_percentage`; 0: a fifth of the limit. Default 0.
   */
  spike_limit_percentage: number;
}

/**
 * Processor `filter`: drops events by the query language of the terminal.
 */
export interface FilterProcessorSettings {
  /**
   * Queries, for example `level:debug` or `env:staging error_name:TimeoutError`; an event that one of them matches is dropped. At least one.
   *
   * @minItems 1
   */
  drop: string[];
  /**
   * What happens to an event at which the processor fails: `ignore` passes it on unchanged and logs, `silent` passes it on unchanged, `propagate` drops it. Each is counted. Default `ignore`.
   */
  error_mode: 'ignore' | 'silent' | 'propagate';
}

/**
 * Processor `attributes`: changes tags, `extra` and other fields of events, action after action.
 */
export interface AttributesProcessorSettings {
  /**
   * What is done, in this order. At least one.
   *
   * @minItems 1
   */
  actions: AttributeActionSettings[];
  /**
   * What happens to an event at which the processor fails: `ignore` passes it on unchanged and logs, `silent` passes it on unchanged, `propagate` drops it. Each is counted. Default `ignore`.
   */
  error_mode: 'ignore' | 'silent' | 'propagate';
}

/**
 * One action of the `attributes` processor.
 */
export interface AttributeActionSettings {
  /**
   * What is changed: `tags.NAME`, `extra.NAME` with further names behind dots, or a field of the event that may change: `error_name`, `message`, `level`, `method`, `release`, `request_id`, `route`, `session_id`, `stack`, `user_id`. A dot inside a name is written `\.`.
   */
  key: string;
  /**
   * `insert` where there is none, `update` where there is one, `upsert` in both cases, `delete`, `hash` (SHA-256), or `extract` by `pattern`.
   */
  action: 'insert' | 'update' | 'upsert' | 'delete' | 'hash' | 'extract';
  /**
   * What is set by insert, update and upsert, a text. Absent: `from_attribute` gives it.
   */
  value?: string;
  /**
   * Where the value comes from, written as `key`. Absent: `value` gives it.
   */
  from_attribute?: string;
  /**
   * Regular expression in RE2 syntax of `extract`, whose named groups become tags of these names; it looks at the first 32,768 UTF-16 units. Absent: for other actions only.
   */
  pattern?: string;
}

/**
 * Processor `redaction`: takes secrets out of events, and out of rejected payloads, before anything is written. With all defaults it masks what the built-in patterns know.
 */
export interface RedactionProcessorSettings {
  /**
   * Kinds of secrets that are known. Default all: `passwords`, `bearer_tokens`, `cloud_keys`, `private_keys`, `cookies`, `card_numbers`, `emails`.
   */
  builtin_patterns: (
    'passwords' | 'bearer_tokens' | 'cloud_keys' | 'private_keys' | 'cookies' | 'card_numbers' | 'emails'
  )[];
  /**
   * Whether keys of tags and `extra` may stay that `allowed_keys` does not list. Default true.
   */
  allow_all_keys: boolean;
  /**
   * Keys of tags and `extra` that stay where `allow_all_keys` is false; all others are removed. Default none.
   */
  allowed_keys: string[];
  /**
   * Keys whose values are left as they are. Default none.
   */
  ignored_keys: string[];
  /**
   * The same by regular expressions in RE2 syntax. Default none.
   */
  ignored_key_patterns: string[];
  /**
   * Keys whose whole values are masked, by regular expressions in RE2 syntax. Default none.
   */
  blocked_key_patterns: string[];
  /**
   * Parts of values that are masked, by regular expressions in RE2 syntax. Default none.
   */
  blocked_values: string[];
  /**
   * Values, or parts of them, that stay although something above matches them, by regular expressions in RE2 syntax. Default none.
   */
  allowed_values: string[];
  /**
   * Whether numbers and booleans in `extra` are looked at as their text. Default false.
   */
  redact_all_types: boolean;
  /**
   * What is masked is replaced by this hash of it, so that equal values stay equal; `none`: by asterisks. Default `none`.
   */
  hash_function: 'none' | 'md5' | 'sha1' | 'sha3';
  /**
   * What an event says about its redaction in `extra.faultline.redaction`: `debug` the keys and the count, `info` the count, `silent` nothing. Default `info`.
   */
  summary: 'debug' | 'info' | 'silent';
  /**
   * What happens to an event at which the processor fails: `ignore` passes it on unchanged and logs, `silent` passes it on unchanged, `propagate` drops it. Each is counted. Default `propagate`.
   */
  error_mode: 'ignore' | 'silent' | 'propagate';
}

/**
 * Processor `rate_limit`: keeps at most so many events of each issue in a time; the rest is counted, not stored.
 */
export interface RateLimitProcessorSettings {
  /**
   * Events of one issue that are kept in each `interval`. Default 100.
   */
  max_events: number;
  /**
   * The time that `max_events` counts for, a duration. Default `1m`.
   */
  interval: string;
  /**
   * How long events that are not kept may wait before one of them is kept on behalf of all, so that the count of their issue stays exact, a duration. Default `10s`.
   */
  summary_interval: string;
  /**
   * Most issues that are watched at a time; beyond it the one that was quiet longest is forgotten, and begins anew. Default 10000.
   */
  max_issues: number;
  /**
   * What happens to an event at which the processor fails: `ignore` passes it on unchanged and logs, `silent` passes it on unchanged, `propagate` drops it. Each is counted. Default `ignore`.
   */
  error_mode: 'ignore' | 'silent' | 'propagate';
}

/**
 * Processor `sample`: keeps the first events of each issue and a share of the rest; the others are counted, not stored.
 */
export interface SampleProcessorSettings {
  /**
   * Events of one issue that are kept from the beginning of each `interval`. Default 100.
   */
  keep_first: number;
  /**
   * After how long the first events are kept anew, a duration. Default `1h`.
   */
  interval: string;
  /**
   * Of the rest, one in so many is kept. Default 100.
   */
  keep_one_in: number;
  /**
   * How long events that are not kept may wait before one of them is kept on behalf of all, so that the count of their issue stays exact, a duration. Default `10s`.
   */
  summary_interval: string;
  /**
   * Most issues that are watched at a time; beyond it the one that was quiet longest is forgotten, and begins anew. Default 10000.
   */
  max_issues: number;
  /**
   * What happens to an event at which the processor fails: `ignore` passes it on unchanged and logs, `silent` passes it on unchanged, `propagate` drops it. Each is counted. Default `ignore`.
   */
  error_mode: 'ignore' | 'silent' | 'propagate';
}

/**
 * Where events go, by component id: `type` or `type/name`. An exporter runs only when a pipeline names it. Exporters but `store` follow the record of the store in their pipeline.
 */
export interface ExportersSettings {
  [id: string]: StoreExporterSettings | OtlpHttpExporterSettings | WebhookExporterSettings | DebugExporterSettings;
}

/**
 * Exporter `store`: keeps events in a folder, raw and indexed. Needs no database server.
 */
export interface StoreExporterSettings {
  /**
   * Folder that holds the data; made when absent. A relative path counts from the folder in which Faultline was started. Default `./faultline-data`.
   */
  directory: string;
  /**
   * What an accepted event has survived when its sender gets the answer: `fsync` means written to the disk, `os` means handed to the operating system, which loses it when the machine crashes but is faster. Default `fsync`.
   */
  durability: 'fsync' | 'os';
  /**
   * Time between two checkpoints of the index, a duration such as `300ms` or `5s`. After a crash the index is brought up from the last checkpoint; nothing is lost with a longer one, but the next start takes longer. At most `24h`. Default `5s`.
   */
  checkpoint_interval: string;
  retention: RetentionSettings;
  rejected: RejectedSettings;
}

/**
 * How long events are kept. What goes is whole hours, the oldest first, and never the hour that is being written; issues keep their history and say how many of their events are gone.
 */
export interface RetentionSettings {
  /**
   * An hour of events is removed when it ended longer ago than this, a duration such as `720h`. `0`: age removes nothing. Default `720h`.
   */
  max_age: string;
  /**
   * When the events take more than this on the disk, the oldest hours are removed until they fit, in bytes or with a unit. `0`: size removes nothing. Default `10GiB`.
   */
  max_size: string;
}

/**
 * How long rejected payloads are kept, with the reason, for `faultline rejected`.
 */
export interface RejectedSettings {
  /**
   * A day of rejected payloads is removed when it ended longer ago than this, a duration such as `168h`. `0`: age removes nothing. Default `168h`.
   */
  max_age: string;
  /**
   * Most bytes that rejected payloads take on the disk; the oldest go first. `0`: rejected payloads are counted and not kept. Default `100MiB`.
   */
  max_size: string;
}

/**
 * Exporter `otlp_http`: sends events as log records to an OpenTelemetry backend, a Collector or another Faultline.
 */
export interface OtlpHttpExporterSettings {
  /**
   * Base address, for example `https://otel.example.com:4318`; the path of logs is added.
   */
  endpoint: string;
  /**
   * Address of logs, used as it is. Absent: `endpoint` and `/v1/logs`.
   */
  logs_endpoint?: string;
  /**
   * How records are written. Default `proto`.
   */
  encoding: 'proto' | 'json';
  /**
   * How bodies are compressed. Default `gzip`.
   */
  compression: 'gzip' | 'none';
  headers: HeadersSettings;
  /**
   * How long one request may take, a duration. Default `30s`.
   */
  timeout: string;
  tls: TlsClientSettings;
  retry_on_failure: RetrySettings;
  sending_queue: QueueSettings;
}

/**
 * Request headers by name. Default none.
 */
export interface HeadersSettings {
  /**
   * This interface was referenced by `HeadersSettings`'s JSON-Schema definition
   * via the `patternProperty` "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$".
   *
   * This interface was referenced by `HeadersSettings1`'s JSON-Schema definition
   * via the `patternProperty` "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$".
   */
  [id: string]: string;
}

/**
 * TLS towards a server.
 */
export interface TlsClientSettings {
  /**
   * Path of the certificates that sign that of the server, PEM. Absent: those that Node.js trusts.
   */
  ca_file?: string;
  /**
   * Path of the own certificate, PEM. Absent: none is shown.
   */
  cert_file?: string;
  /**
   * Path of its private key, PEM. Absent: none is shown.
   */
  key_file?: string;
  /**
   * Whether the server's certificate is taken without a look. Default false.
   */
  insecure_skip_verify: boolean;
}

/**
 * How what could not be sent is tried again.
 */
export interface RetrySettings {
  /**
   * Whether it is tried again. Default true.
   */
  enabled: boolean;
  /**
   * Wait after the first failure, a duration. Default `5s`.
   */
  initial_interval: string;
  /**
   * Longest wait, a duration. Default `30s`.
   */
  max_interval: string;
  /**
   * By what the wait grows with each failure. Default 1.5.
   */
  multiplier: number;
  /**
   * Part of the wait by which it is longer or shorter at random. Default 0.5.
   */
  randomization_factor: number;
  /**
   * After how long of failing it is given up and counted as lost, a duration; `0`: never. Default `0s`.
   */
  max_elapsed_time: string;
}

/**
 * The queue of an exporter: a cursor in the record of the store. Nothing is written twice, and nothing is held in memory but one batch.
 */
export interface QueueSettings {
  /**
   * Most events in one request. Default 512.
   */
  max_batch_events: number;
  /**
   * How long the first event of a batch waits for more, a duration. Default `200ms`.
   */
  flush_interval: string;
  /**
   * For how long, beyond what retention keeps, events are kept for an exporter that lags behind, a duration; `0`: retention does not wait. Default `24h`.
   */
  retention_hold: string;
  /**
   * Where an exporter begins that has no cursor yet. Default `end`.
   */
  start_at: 'beginning' | 'end';
}

/**
 * Exporter `webhook`: calls an address when an issue is new, comes back or spikes.
 */
export interface WebhookExporterSettings {
  /**
   * Address that is called by POST.
   */
  endpoint: string;
  /**
   * What is told. Default `new`, `regressed`, `spiking`.
   */
  on: ('new' | 'regressed' | 'spiking')[];
  /**
   * Only issues that match, in the query language. Absent: all.
   */
  query?: string;
  /**
   * Form of the body: `json` the issue as the reading API gives it, `slack` a message for Slack and what takes the same. Default `json`.
   */
  format: 'json' | 'slack';
  /**
   * Address of the reading endpoint as people reach it, for the line that opens the issue. Absent: none is shown.
   */
  terminal_url?: string;
  headers: HeadersSettings1;
  /**
   * Secret with which calls are signed, as Standard Webhooks say: headers `webhook-id`, `webhook-timestamp`, `webhook-signature`. One that begins with `whsec_` is base64, as libraries write it; any other counts as the bytes of its text. Absent: calls are not signed.
   */
  signing_secret?: string;
  /**
   * Whether loopback, link-local and private addresses may be called. Default false.
   */
  allow_private_addresses: boolean;
  /**
   * Most calls in a minute; what is beyond waits and is told together. Default 30.
   */
  max_alerts_per_minute: number;
  /**
   * How long one call may take, a duration. Default `10s`.
   */
  timeout: string;
  tls: TlsClientSettings1;
  retry_on_failure: RetrySettings1;
}

/**
 * Request headers by name. Default none.
 */
export interface HeadersSettings1 {
  /**
   * This interface was referenced by `HeadersSettings`'s JSON-Schema definition
   * via the `patternProperty` "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$".
   *
   * This interface was referenced by `HeadersSettings1`'s JSON-Schema definition
   * via the `patternProperty` "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$".
   */
  [id: string]: string;
}

/**
 * TLS towards a server.
 */
export interface TlsClientSettings1 {
  /**
   * Path of the certificates that sign that of the server, PEM. Absent: those that Node.js trusts.
   */
  ca_file?: string;
  /**
   * Path of the own certificate, PEM. Absent: none is shown.
   */
  cert_file?: string;
  /**
   * Path of its private key, PEM. Absent: none is shown.
   */
  key_file?: string;
  /**
   * Whether the server's certificate is taken without a look. Default false.
   */
  insecure_skip_verify: boolean;
}

/**
 * How what could not be sent is tried again.
 */
export interface RetrySettings1 {
  /**
   * Whether it is tried again. Default true.
   */
  enabled: boolean;
  /**
   * Wait after the first failure, a duration. Default `5s`.
   */
  initial_interval: string;
  /**
   * Longest wait, a duration. Default `30s`.
   */
  max_interval: string;
  /**
   * By what the wait grows with each failure. Default 1.5.
   */
  multiplier: number;
  /**
   * Part of the wait by which it is longer or shorter at random. Default 0.5.
   */
  randomization_factor: number;
  /**
   * After how long of failing it is given up and counted as lost, a duration; `0`: never. Default `0s`.
   */
  max_elapsed_time: string;
}

/**
 * Exporter `debug`: writes to the standard error stream what was stored, to look at a pipeline.
 */
export interface DebugExporterSettings {
  /**
   * `basic` one line for a batch, `normal` one line for an event, `detailed` every field. Default `basic`.
   */
  verbosity: 'basic' | 'normal' | 'detailed';
  /**
   * Events of each second that are shown before sampling begins. Default 2.
   */
  sampling_initial: number;
  /**
   * Of the rest of the second, one in so many is shown; 0: none. Default 1.
   */
  sampling_thereafter: number;
}

/**
 * What runs beside the pipelines, by component id: `type` or `type/name`. An extension runs only when `service.extensions` names it.
 */
export interface ExtensionsSettings {
  [id: string]:
    QueryExtensionSettings | HealthCheckExtensionSettings | BearerTokenAuthExtensionSettings | PprofExtensionSettings;
}

/**
 * Extension `query`: serves what was collected, to the terminal and to programs.
 */
export interface QueryExtensionSettings {
  /**
   * Address to listen on, `host:port`. `:4319` listens on every network interface, port 0 takes any free port. Components with the same endpoint share one server. Default `localhost:4319`.
   */
  endpoint: string;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reading events through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
  tls?: TlsServerSettings;
  auth: AuthSettings4;
  actions_auth: AuthSettings5;
  /**
   * Whether the endpoint may be reached from other machines without `auth`. Without it such a configuration is refused. Default false.
   */
  allow_without_token: boolean;
  connections: ConnectionSettings4;
  cors: CorsSettings3;
}

/**
 * Who may read, and act as well where `actions_auth` names nobody. Default anybody.
 */
export interface AuthSettings4 {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Who may act on issues, and read too. Absent: whoever may read.
 */
export interface AuthSettings5 {
  /**
   * Id of an extension `bearertokenauth` that `service.extensions` names. Absent: anybody who reaches the endpoint.
   */
  authenticator?: string;
}

/**
 * Bounds on the connections and requests of an endpoint. Components of one endpoint have the same.
 */
export interface ConnectionSettings4 {
  /**
   * Most connections at a time. Beyond it the connection that has kept a request unfinished or idled longest is closed for a new one. Default 2048.
   */
  max_connections: number;
  /**
   * Most connections of one client address at a time; more are closed at once; 0: no bound. Default 0.
   */
  max_connections_per_client: number;
  /**
   * How long a client may take for its handshake and for the headers of a request, a duration; over gRPC: for handshake and preface, headers of a call have `idle_timeout`. Default `15s`.
   */
  read_header_timeout: string;
  /**
   * How long a client may take for a whole request, a duration; over gRPC: for the message of a call. Default `5m`.
   */
  read_timeout: string;
  /**
   * Least number of bytes that a client must send of a body in each second, after its first 10 seconds; 0: no bound. Default `256B`.
   */
  min_body_rate: string;
  /**
   * How long a connection without a request is kept, a duration. Default `65s`.
   */
  idle_timeout: string;
  /**
   * Requests of one client address in a second, on average; more are answered 429 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; 0: no bound. Default 0.
   */
  requests_per_second: number;
  /**
   * Requests that one client address may send at once under `requests_per_second`. Default 100.
   */
  request_burst: number;
}

/**
 * Which web pages may send here. A request that names an `Origin` not listed is refused; programs name none.
 */
export interface CorsSettings3 {
  /**
   * Origins such as `https://shop.example.com`; `*` stands for any part of the host, or for the port, and alone for every origin. Default none.
   */
  allowed_origins: string[];
  /**
   * Request headers that a page may set beyond `content-type`, `content-encoding` and those of the receiver's protocol. Default none.
   */
  allowed_headers: string[];
  /**
   * How long a browser may remember the answer to a preflight, a duration. Default `2h`.
   */
  max_age: string;
}

/**
 * Extension `health_check`: says whether the collector lives and whether it takes events.
 */
export interface HealthCheckExtensionSettings {
  /**
   * Address to listen on, `host:port`. It tells nothing of events, and may be reached from other machines without a token. Default `localhost:13133`.
   */
  endpoint: string;
  /**
   * Path that answers 200 while events are taken, and 503 else. Default `/`.
   */
  path: string;
  /**
   * Path that answers 200 as long as the process can answer. Default `/live`.
   */
  live_path: string;
  /**
   * Path of the state of each component, as JSON. Default `/status`.
   */
  status_path: string;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reading events through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
  tls?: TlsServerSettings;
}

/**
 * Extension `bearertokenauth`: lets those call who show a token in the header `Authorization`. At least one token is needed.
 */
export interface BearerTokenAuthExtensionSettings {
  /**
   * Word before the token. Default `Bearer`.
   */
  scheme: string;
  /**
   * The token, for example `${env:FAULTLINE_TOKEN}`; at least 16 characters. Absent: the others count.
   */
  token?: string;
  /**
   * Further tokens, so that one can be replaced by another. Default none.
   */
  tokens: string[];
  /**
   * Path of a file with one token on each line, looked at every second. Absent: the others count.
   */
  filename?: string;
}

/**
 * Extension `pprof`: CPU profiles and heap snapshots of the collector on demand, for this machine only.
 */
export interface PprofExtensionSettings {
  /**
   * Address to listen on, `host:port`; only loopback addresses are taken. Default `localhost:1777`.
   */
  endpoint: string;
  /**
   * Longest CPU profile, a duration. Default `2m`.
   */
  max_duration: string;
}

/**
 * Which events are one issue, beyond the built-in rules. Counts for new events at once, and for stored ones after `faultline regroup --apply`.
 */
export interface GroupingSectionSettings {
  /**
   * Kinds of values in messages that are not replaced by a placeholder: names of rows of the message table, for example `url`. Default none.
   */
  patterns_off: string[];
  /**
   * Rules in order: the first one that sets a fingerprint wins, the other effects of all that match add up. At most 1,000. Default none.
   *
   * @maxItems 1000
   */
  rules: GroupingRuleSettings[];
}

/**
 * What is done with the events that a query matches.
 */
export interface GroupingRuleSettings {
  /**
   * Shown where the rule decided. Absent: its place in the list, as in `rule 1`.
   */
  name?: string;
  /**
   * Events that the rule is for, in the query language. Absent or blank: all.
   */
  query?: string;
  /**
   * Parts that decide instead of the built-in rules; `{{ default }}` stands for those, other variables for what the event holds. Absent: not set.
   *
   * @minItems 1
   * @maxItems 32
   */
  fingerprint?: string[];
  /**
   * Frames of the stack that do not count. Absent: none.
   *
   * @minItems 1
   * @maxItems 100
   */
  ignore_frames?: FrameMatcherSettings[];
  /**
   * Frames that belong to the application. Absent: as the built-in rules say.
   *
   * @minItems 1
   * @maxItems 100
   */
  in_app?: FrameMatcherSettings[];
  /**
   * Frames that do not belong to the application. Absent: as the built-in rules say.
   *
   * @minItems 1
   * @maxItems 100
   */
  not_in_app?: FrameMatcherSettings[];
  /**
   * Kinds of values that stay in the messages of these events. Absent: as for all events.
   */
  patterns_off?: string[];
  /**
   * Kinds of values that are replaced in the messages of these events, though they are off for all. Absent: none.
   */
  patterns_on?: string[];
  /**
   * Fields whose values part the events further, for example `tags.region` or `route`. Absent: none.
   *
   * @minItems 1
   * @maxItems 16
   */
  split_by?: string[];
}

/**
 * A frame of a stack; `*` stands for any text, and everything that is given must match.
 */
export interface FrameMatcherSettings {
  /**
   * Its function. Absent: any.
   */
  function?: string;
  /**
   * Its class or module. Absent: any.
   */
  module?: string;
  /**
   * Its file, without the folders of its installation. Absent: any.
   */
  file?: string;
}

/**
 * Which of the configured components run, and how they are connected.
 */
export interface ServiceSettings {
  /**
   * Ids of the extensions to run. Default none.
   */
  extensions: string[];
  pipelines: PipelinesSettings;
  ingest: IngestSettings;
  telemetry: TelemetrySettings;
}

/**
 * Pipelines by id: `events` or `events/name`. At least one.
 */
export interface PipelinesSettings {
  [id: string]: PipelineSettings;
}

/**
 * One line of components: every receiver hands its events through the processors, in this order, to every exporter.
 */
export interface PipelineSettings {
  /**
   * Ids of the receivers that feed this pipeline. At least one.
   */
  receivers: string[];
  /**
   * Ids of the processors, in the order in which events pass them. Default none.
   */
  processors: string[];
  /**
   * Ids of the exporters that take this pipeline's events. At least one.
   */
  exporters: string[];
}

/**
 * Bounds that all receivers share.
 */
export interface IngestSettings {
  /**
   * Most bytes of requests, after decompression, that all receivers hold together, over HTTP and gRPC, in bytes or with a unit; decoding takes several times as much for a moment. A request beyond it is answered 503 with Retry-After, over gRPC RESOURCE_EXHAUSTED with RetryInfo; one that is larger by itself 413. `0`: a twelfth of the memory of the control group or the machine, at most `256MiB`. Default `0`.
   */
  max_memory: string;
}

/**
 * What Faultline says about itself.
 */
export interface TelemetrySettings {
  logs: LogsSettings;
  metrics: MetricsSettings;
}

/**
 * Faultline's own log.
 */
export interface LogsSettings {
  /**
   * Lowest level that is written; `silent` writes nothing. Default `info`.
   */
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /**
   * `json` one object on a line, `console` lines for people, `auto` console on a terminal and JSON elsewhere. Default `auto`.
   */
  encoding: 'auto' | 'console' | 'json';
}

/**
 * Faultline's own metrics, for Prometheus.
 */
export interface MetricsSettings {
  /**
   * `none` serves no metrics, `normal` all. Default `normal`.
   */
  level: 'none' | 'normal';
  /**
   * Address to listen on, `host:port`; the path is `/metrics`. It tells nothing of events, and may be reached from other machines without a token. Default `localhost:8888`.
   */
  address: string;
  /**
   * Names accepted in the `Host` header of a request, without port, beyond local names and the endpoint's own host. A request for any other host is refused, which keeps web pages from reading events through DNS rebinding. Default none.
   */
  allowed_hosts: string[];
}
