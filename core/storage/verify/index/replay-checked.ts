import { Fault } from '../../../event/fault.js';
import type { RawPayload } from '../../../event/raw-payload.js';
import type { IndexContent } from '../../index/content/index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from '../../index/content/indexed-event.js';
import { LineReader } from '../../index/replay/line-reader.js';
import type { ReplayedCommit, ReplayedLine } from '../../record/commits/replayed-commit.js';
import { partitionOf, RAW_FILE } from '../../record/partitions/partition-path.js';
import type { VerifyContext } from '../verify-context.js';

/** Replays the record after an instant up to another one into an index; `afterCommit` is awaited after each commit. */
export type CheckedReplay = (
  range: { readonly afterMicros: number; readonly untilMicros: number },
  afterCommit: () => Promise<void>,
) => Promise<void>;

type Names = Pick<RawPayload, 'env' | 'service' | 'app'>;

/**
 * A replay that checks each line on its way: whether it is a payload, and whether it names its folder. Lines of partitions that are damaged are
 * left out: which of them cannot be read was said where their bytes were compared.
 */
export function createCheckedReplay(context: VerifyContext, content: IndexContent): CheckedReplay {
  const namesOf = new Map<string, Names>();
  const misplaced = new Set<string>();
  const reader = new LineReader(context.grouping);

  const report = (code: 'RAW_LINE_INVALID' | 'RAW_LINE_MISPLACED', place: ReplayedLine, what: string): void => {
    const { partition, line, offset } = place;
    if (context.damagedFolders.has(partition.folder)) return;
    context.report({ code, file: `${partition.folder}/${RAW_FILE}`, line, offset, what: `Line ${line} ${what}.` });
  };

  const checkNames = (place: ReplayedLine, { env, service, app }: Names): void => {
    const { folder, hour } = place.partition;
    const known = namesOf.get(folder);
    const isSame = known?.app === app && known.service === service && known.env === env;
    if (isSame || misplaced.has(folder)) return;
    if (partitionOf(env, service, app, hour).folder === folder) {
      namesOf.set(folder, { env, service, app });
      return;
    }
    misplaced.add(folder);
    report('RAW_LINE_MISPLACED', place, 'names another app, service or environment than its folder');
  };

  const read = (place: ReplayedLine, receivedAtMicros: number): IndexedFailure | undefined => {
    try {
      return reader.read(place, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      report('RAW_LINE_INVALID', place, 'is no payload');
      return undefined;
    }
  };

  const apply = ({ receivedAtMicros, events }: ReplayedCommit): void => {
    const accepted: { readonly place: ReplayedLine; readonly event: IndexedEvent }[] = [];
    for (const place of events) {
      const event = read(place, receivedAtMicros);
      if (event === undefined) continue;
      checkNames(place, event.payload);
      const { partition, line, offset, bytes } = place;
      accepted.push({ place, event: { event, partition, line, offset, bytes, receivedAtMicros } });
    }
    const describe = (index: number): DescribedFailure => {
      const one = accepted[index];
      if (one === undefined) throw new RangeError('An event is described that is no part of its commit.');
      return reader.describe(one.place, receivedAtMicros);
    };
    content.apply(
      accepted.map(({ event }) => event),
      describe,
    );
  };

  return async ({ afterMicros, untilMicros }, afterCommit) => {
    for await (const commit of context.record.replay({ afterMicros })) {
      if (commit.receivedAtMicros > untilMicros) break;
      apply(commit);
      await afterCommit();
    }
  };
}
