import { parseComponentId } from '../../config/values/component-id.js';
import { Fault } from '../../core/event/fault.js';

/** Returns the factory of an id's type. Throws `COMPONENT_UNKNOWN`. */
export function factoryOf<Build>(factories: Readonly<Record<string, Build>>, kind: string, id: string): Build {
  const { type } = parseComponentId(id);
  const build = Object.hasOwn(factories, type) ? factories[type] : undefined;
  if (build === undefined) throw unknownComponent(kind, id);
  return build;
}

/** Returns the settings of an id. Throws `COMPONENT_UNKNOWN`. */
export function settingsOf<One>(section: Readonly<Record<string, One>>, id: string): One {
  const settings = Object.hasOwn(section, id) ? section[id] : undefined;
  if (settings === undefined) throw unknownComponent('component', id);
  return settings;
}

/** The fault for an id that is not configured. */
export function unknownComponent(kind: string, id: string): Fault {
  return new Fault('COMPONENT_UNKNOWN', `no ${kind} ${id}: configure it, or remove it from the service`);
}
