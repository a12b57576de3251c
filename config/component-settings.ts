import type {
  AttributesProcessorSettings,
  BearerTokenAuthExtensionSettings,
  DebugExporterSettings,
  EventsReceiverSettings,
  ExportersSettings,
  ExtensionsSettings,
  FileLogReceiverSettings,
  FilterProcessorSettings,
  HealthCheckExtensionSettings,
  MemoryLimiterProcessorSettings,
  OtlpHttpExporterSettings,
  OtlpReceiverSettings,
  PprofExtensionSettings,
  ProcessorsSettings,
  QueryExtensionSettings,
  RateLimitProcessorSettings,
  ReceiversSettings,
  RedactionProcessorSettings,
  SampleProcessorSettings,
  SentryReceiverSettings,
  StoreExporterSettings,
  WebhookExporterSettings,
} from '../generated/settings.js';
import { parseComponentId } from './values/component-id.js';

export type ReceiverSettings = ReceiversSettings[string];
export type ProcessorSettings = ProcessorsSettings[string];
export type ExporterSettings = ExportersSettings[string];
export type ExtensionSettings = ExtensionsSettings[string];

/** Settings of components by their type. */
export interface SettingsByType {
  readonly events: EventsReceiverSettings;
  readonly file_log: FileLogReceiverSettings;
  readonly otlp: OtlpReceiverSettings;
  readonly sentry: SentryReceiverSettings;
  readonly attributes: AttributesProcessorSettings;
  readonly filter: FilterProcessorSettings;
  readonly memory_limiter: MemoryLimiterProcessorSettings;
  readonly rate_limit: RateLimitProcessorSettings;
  readonly redaction: RedactionProcessorSettings;
  readonly sample: SampleProcessorSettings;
  readonly debug: DebugExporterSettings;
  readonly otlp_http: OtlpHttpExporterSettings;
  readonly store: StoreExporterSettings;
  readonly webhook: WebhookExporterSettings;
  readonly bearertokenauth: BearerTokenAuthExtensionSettings;
  readonly health_check: HealthCheckExtensionSettings;
  readonly pprof: PprofExtensionSettings;
  readonly query: QueryExtensionSettings;
}

export type AnySettings = SettingsByType[keyof SettingsByType];

/** Whether the id has this type, by which the schema has checked the settings. */
export function hasSettingsType<Type extends keyof SettingsByType>(
  type: Type,
  id: string,
  settings: AnySettings | undefined,
): settings is SettingsByType[Type] {
  return settings !== undefined && parseComponentId(id).type === type;
}
