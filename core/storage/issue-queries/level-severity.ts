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

/** The severity of a level, highest worst; 0 for unknown levels. */
export function levelSeverity(level: string): number {
  return SEVERITIES.get(level.toLowerCase()) ?? 0;
}
