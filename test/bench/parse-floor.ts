/** Returns the events per second of splitting NDJSON bodies and parsing each line, measured for a second. */
export function parseFloor(bodies: readonly Buffer[]): number {
  const began = performance.now();
  let events = 0;
  while (performance.now() - began < 1000) {
    for (const body of bodies) {
      for (const line of body.toString('utf8').split('\n')) {
        if (line === '') continue;
        JSON.parse(line);
        events += 1;
      }
    }
  }
  return (events * 1000) / (performance.now() - began);
}
