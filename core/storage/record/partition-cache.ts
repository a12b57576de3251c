import { type Partition, partitionOf } from './partition-path.js';

/** Names in one hour are few; more than this come from a sender that invents them, and then the cache starts over. */
const MAX_CACHED = 10_000;

/** `partitionOf` that hashes and builds paths once per hour and names. */
export type PartitionCache = (env: string, service: string, app: string, hour: number) => Partition;

/** A cache for appends, which ask for one hour at a time. */
export function createPartitionCache(): PartitionCache {
  let cachedHour = Number.NaN;
  let size = 0;
  let services = new Map<string, Map<string, Map<string, Partition>>>();

  const remember = (env: string, service: string, app: string, partition: Partition): void => {
    if (size >= MAX_CACHED) {
      services = new Map();
      size = 0;
    }
    const ofService = services.get(service) ?? new Map<string, Map<string, Partition>>();
    const ofApp = ofService.get(app) ?? new Map<string, Partition>();
    services.set(service, ofService.set(app, ofApp.set(env, partition)));
    size += 1;
  };

  return (env, service, app, hour) => {
    if (hour !== cachedHour) {
      services = new Map();
      size = 0;
      cachedHour = hour;
    }
    const known = services.get(service)?.get(app)?.get(env);
    if (known !== undefined) return known;
    const partition = partitionOf(env, service, app, hour);
    remember(env, service, app, partition);
    return partition;
  };
}
