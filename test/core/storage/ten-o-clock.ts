/** 2026-11-21 10:00 UTC. */
export const TEN_O_CLOCK_MS = Date.UTC(2026, 10, 21, 10);
