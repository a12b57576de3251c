import type { Serves } from '../../collector/component/built-in.js';
import type { Component } from '../../collector/component/plugin.js';
import { HttpServers } from '../../collector/http/http-servers.js';
import { createDrainDeadline } from '../../collector/http/server/drain-deadline.js';

/** Components that run without a configuration. */
export interface ServedComponents {
  /** Drains their routes and stops them, the last one first. */
  stop(): Promise<void>;
}

/** Creates the servers that components get as `servers`. */
export function createServers(
  options: Omit<ConstructorParameters<typeof HttpServers>[0], 'drain'>,
  drainMs = 1_000,
): HttpServers {
  return new HttpServers({ drain: createDrainDeadline(drainMs), ...options });
}

/** Starts components by id, and opens their routes. */
export async function serveComponents(
  servers: HttpServers,
  components: Readonly<Record<string, Component & Serves>>,
): Promise<ServedComponents> {
  const parts = Object.entries(components).map(([id, component]) => ({
    component,
    routes: (component.routes ?? []).map((declared) => servers.attach(id, declared)),
  }));
  servers.serve(parts.flatMap(({ routes }) => routes));
  for (const { component, routes } of parts) {
    await component.start?.();
    for (const served of routes) await served.open();
  }
  return {
    async stop() {
      for (const { component, routes } of parts.toReversed()) {
        await Promise.all([...routes.map((served) => served.close()), component.drain?.()]);
        await component.shutdown?.();
      }
    },
  };
}
