/** Components of the OpenTelemetry Collector by section, and what they are called here, where letters do not tell. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ['exporters file', 'store'],
  ['exporters logging', 'debug'],
  ['service.pipelines logs', 'events'],
  ['service.pipelines traces', 'events'],
]);

/** Those that nothing here is called after, because what they are for is done anyhow. */
const NEEDLESS: ReadonlyMap<string, string> = new Map([
  ['processors batch', 'a store writes what comes together in one batch'],
  ['extensions file_storage', 'exporters send from what the store keeps'],
]);

/** The type here of what a type of the Collector is for; undefined where there is none, or its name is close enough. */
export function counterpartOf(section: string, type: string): string | undefined {
  return COUNTERPARTS.get(`${section} ${type}`);
}

/** Why a type of the Collector can be left out, as the end of a sentence; empty for all others. */
export function needlessNote(section: string, type: string): string {
  const reason = NEEDLESS.get(`${section} ${type}`);
  return reason === undefined ? '' : `; leave it out: ${reason}`;
}
