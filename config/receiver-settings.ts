import { parseComponentId } from './component-id.js';
import type {
  EventsReceiverSettings,
  FileLogReceiverSettings,
  OtlpReceiverSettings,
  ReceiversSettings,
  SentryReceiverSettings,
} from './settings.js';

/** Settings of a receiver by its type. */
export interface ReceiverSettingsByType {
  events: EventsReceiverSettings;
  file_log: FileLogReceiverSettings;
  otlp: OtlpReceiverSettings;
  sentry: SentryReceiverSettings;
}

/** Settings of any receiver. */
export type ReceiverSettings = ReceiversSettings[string];

/** Whether settings stand under an id of this type; the schema has then checked them by it. */
export function areSettingsOf<Type extends keyof ReceiverSettingsByType>(
  type: Type,
  id: string,
  settings: ReceiverSettings,
): settings is ReceiverSettingsByType[Type] & ReceiverSettings {
  return parseComponentId(id).type === type && settings !== undefined;
}
