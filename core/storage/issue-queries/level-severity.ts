const SEVERITIES: ReadonlyMap<string, number> = new Map([
  ['fatal', 6],
  ['critical', 6],
  ['error', 5],
  ['warning', 4],
  ['warn', 4],
  ['info', 3],
  ['debug', 2],
  ['trace', 1],
]);

/** How severe a level is, the greater the worse; 0 for words that senders made up. */
export function levelSeverity(level: string): number {
  return SEVERITIES.get(level.toLowerCase()) ?? 0;
}
