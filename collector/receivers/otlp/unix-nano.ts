const NANOS_PER_SECOND = 1_000_000_000n;
const MS_PER_SECOND = 1_000;
const LATEST = 2n ** 64n - 1n;
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/** RFC 3339 with nine digits of nanoseconds since the epoch; null for 0, which in OTLP is none, and for what is no 64 bit number. */
export function timestampOfUnixNano(nanos: bigint): string | null {
  if (nanos <= 0n || nanos > LATEST) return null;
  const seconds = new Date(Number(nanos / NANOS_PER_SECOND) * MS_PER_SECOND).toISOString().slice(0, SECONDS_LENGTH);
  return `${seconds}.${String(nanos % NANOS_PER_SECOND).padStart(9, '0')}Z`;
}
