/** The current time of the shop in seconds after the start of the sample data: 21:30 UTC. */
export const SHOP_NOW_SECONDS = 11.5 * 3_600;

/** The same in milliseconds since the epoch. */
export const SHOP_NOW_MS = Date.parse('2026-11-20T10:00:00Z') + SHOP_NOW_SECONDS * 1_000;
