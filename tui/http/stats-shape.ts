import type {
  DeadLetterStats,
  ExporterStats,
  GroupingStats,
  ReceiverLedger,
  RemovedStats,
  Stats,
} from '../../core/reader.js';
import { isBoolean, isNumber, isString, mapOf, orAbsent, orNull, recordOf } from './check.js';
import { isText } from './value-checks.js';

/** `GET /stats`. */
export const isStats = recordOf<Stats>({
  events: isNumber,
  sampled: orAbsent(isNumber),
  issues: isNumber,
  partitions: isNumber,
  raw_bytes: isNumber,
  checkpoint_lag_events: isNumber,
  removed: recordOf<RemovedStats>({ events: isNumber, partitions: isNumber, raw_bytes: isNumber, before: isText }),
  dead_letters: recordOf<DeadLetterStats>({ records: isNumber, bytes: isNumber, lost: isNumber }),
  grouping: recordOf<GroupingStats>({
    version: isNumber,
    newest_version: isNumber,
    key: isString,
    is_current: isBoolean,
  }),
  directory: isString,
  receivers: mapOf(
    recordOf<ReceiverLedger>({
      received: isNumber,
      stored: isNumber,
      rejected: isNumber,
      filtered: isNumber,
      sampled: isNumber,
      refused: isNumber,
      reasons: mapOf(isNumber),
      cuts: mapOf(isNumber),
      lost_by_clients: mapOf(isNumber),
    }),
  ),
  endpoints: mapOf(isString),
  exporters: orAbsent(
    mapOf(
      recordOf<ExporterStats>({
        destination: isString,
        waiting: isNumber,
        oldest_age_ms: isNumber,
        sent: isNumber,
        lost: isNumber,
        retention_held: isBoolean,
        failing: isBoolean,
        last_error: orNull(recordOf<NonNullable<ExporterStats['last_error']>>({ message: isString, at: isString })),
      }),
    ),
  ),
});
