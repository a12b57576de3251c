import type { SettingsByType } from '../generated/settings-by-type.js';
import { parseComponentId } from './values/component-id.js';

export type AnySettings = SettingsByType[keyof SettingsByType];

/** Whether the id has this type, by which the schema has checked the settings. */
export function hasSettingsType<Type extends keyof SettingsByType>(
  type: Type,
  id: string,
  settings: AnySettings | undefined,
): settings is SettingsByType[Type] {
  return settings !== undefined && parseComponentId(id).type === type;
}
