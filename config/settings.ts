// Generated from schema.json by `npm run schema`. Change the schema, not this file.

/**
 * What stands between receivers and exporters, by component id. Faultline has no processor yet, so this section is empty.
 */
export type ProcessorsSettings = Record<string, never>;

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
   * How long a request with an `Idempotency-Key` is remembered, so that a repeated one is answered as the first and stored once, a duration; `0`: never. At most `24h`. Default `10m`.
   */
  idempotency_window: string;
  limits: EventLimits;
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
 * How large one event and its parts may be.
 */
export interface EventLimits {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
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
   * How long an exception's trace is remembered: to find the server span of an exception that was sent earlier or later, and to store an exception once that several spans or a log record repeat. A duration; `0`: within one request only. At most `10m`. Default `30s`.
   */
  join_window: string;
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
 * OTLP over gRPC, without TLS.
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
 * How large one event and its parts may be.
 */
export interface EventLimits1 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
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
   * How long the id of an event is remembered, so that one that is sent again is stored once, a duration; `0`: never. At most `24h`. Default `10m`.
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
 * How large one event and its parts may be.
 */
export interface EventLimits2 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
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
 * How large one event and its parts may be.
 */
export interface EventLimits3 {
  /**
   * Largest event as JSON, in bytes or with a unit. At most `511MiB`: more does not fit into one string. Default `16MiB`.
   */
  max_event_size: string;
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
 * Where events go, by component id: `type` or `type/name`. An exporter runs only when a pipeline names it.
 */
export interface ExportersSettings {
  [id: string]: StoreExporterSettings;
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
 * What runs beside the pipelines, by component id: `type` or `type/name`. An extension runs only when `service.extensions` names it.
 */
export interface ExtensionsSettings {
  [id: string]: QueryExtensionSettings;
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
 * What Faultline says about itself.
 */
export interface TelemetrySettings {
  logs: LogsSettings;
}

/**
 * Faultline's own log.
 */
export interface LogsSettings {
  /**
   * Lowest level that is written; `silent` writes nothing. Default `info`.
   */
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}
