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
  service: ServiceSettings;
}

/**
 * What takes events in, by component id: `type` or `type/name`. A receiver runs only when a pipeline names it.
 */
export interface ReceiversSettings {
  [id: string]: EventsReceiverSettings;
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
