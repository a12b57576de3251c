import type { NormalizedEvent } from '../../generated/event-fields.js';

export type { NormalizedEvent };

export type EventType = NormalizedEvent['type'];
