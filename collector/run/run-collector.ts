import type { ServedEndpoints } from './child-environment.js';
import type { RunSource } from './run-source.js';
import { askServed, isCollector } from './running-collector.js';

/** Where a collector answers that was started as it is. */
const DEFAULT_URL = 'http://localhost:4318';

/** The collector that a run sends to. */
export interface RunCollector {
  readonly served: ServedEndpoints;
  /** Ends it when it is ours. */
  close(): Promise<void>;
}

/** Which collector a run is to have. */
export interface CollectorChoice {
  /** Base address of one that runs. */
  readonly url: string | undefined;
  /** Data folder of one in our own process. */
  readonly directory: string | undefined;
  /** What is shown to one that runs; undefined: nothing. */
  readonly token: string | undefined;
  /** Data folder of one in our own process when neither is named and none runs at the default address. */
  readonly defaultDirectory: string;
}

/** Opens the collector that was chosen; one with an address is taken as it is, whether it answers now or not. Rejects when one in our own process does not start. */
export async function openRunCollector(choice: CollectorChoice, source: RunSource): Promise<RunCollector> {
  const url = choice.url ?? (await defaultUrl(choice));
  if (url !== undefined) return { served: await askServed(url), close: () => Promise.resolve() };
  const { openEmbeddedCollector } = await import('./embedded-collector.js');
  return await openEmbeddedCollector(choice.directory ?? choice.defaultDirectory, source);
}

async function defaultUrl({ directory, token }: CollectorChoice): Promise<string | undefined> {
  return directory === undefined && (await isCollector(DEFAULT_URL, token)) ? DEFAULT_URL : undefined;
}
