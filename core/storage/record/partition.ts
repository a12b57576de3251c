/** One hour of one environment, service and app: a folder with `raw.ndjson` and `commits.ndjson`. */
export interface Partition {
  /** Folder relative to the root, `/` between its parts: `raw/<environment>/<service>/<app>/<YYYY>/<MM>/<DD>/<HH>`. */
  readonly folder: string;
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  /** First 32 bits of the SHA-256 of `folder`. */
  readonly hash: number;
}
