import type { Server } from 'node:http';
import { pathToFileURL } from 'node:url';

interface Spotlight {
  setupSpotlight(options: object): Promise<Server>;
}

/** Starts the sidecar of Spotlight on a free port: `spotlight-sidecar <module>`. Its own command would report to its makers. */
const [module = ''] = process.argv.slice(2);
const { setupSpotlight }: Spotlight = await import(pathToFileURL(module).href);
const silent = (): void => undefined;
const server = await setupSpotlight({
  port: 0,
  isStandalone: true,
  logger: { info: silent, warn: silent, error: silent, debug: silent },
});
const address = server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
process.on('SIGTERM', () => process.exit(0));
