import { Fault } from '../../../event/fault.js';
import { type RawPayload, repeatsOf } from '../../../event/raw-payload.js';
import type { IndexContent } from '../../index/content/index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from '../../index/content/indexed-event.js';
import { LineDecoder } from '../../index/event-groupers.js';
import type { ReplayedCommit, ReplayedLine } from '../../record/commits/replayed-commit.js';
import { partitionOf, RAW_FILE } from '../../record/partitions/partition-path.js';
import type { VerifyContext } from '../verify-context.js';

/** Replays commits after `afterMicros` up to `untilMicros` into an index; awaits `afterCommit` after each. */
type CheckedReplay = (
  range: { readonly afterMicros: number; readonly untilMicros: number },
  afterCommit: () => Promise<void>,
) => Promise<void>;

type Names = Pick<RawPayload, 'env' | 'service' | 'app'>;

/**
 * Creates a replay that checks that each line is a payload and belongs to its folder. Damaged partitions were reported before, so their
 * lines are skipped without a finding.
 */
export function createCheckedReplay(context: VerifyContext, content: IndexContent): CheckedReplay {
  const namesOf = new Map<string, Names>();
  const misplaced = new Set<string>();
  const reader = new LineDecoder(context.grouping, context.record);

  const report = (code: 'RAW_LINE_INVALID' | 'RAW_LINE_MISPLACED', replayed: ReplayedLine, what: string): void => {
    const { partition, line, offset } = replayed;
    if (context.damagedFolders.has(partition.folder)) return;
    context.report({ code, file: `${partition.folder}/${RAW_FILE}`, line, offset, what: `Line ${line} ${what}.` });
  };

  const checkNames = (replayed: ReplayedLine, { env, service, app }: Names): void => {
    const { folder, hour } = replayed.partition;
    const known = namesOf.get(folder);
    const isSame = known?.app === app && known.service === service && known.env === env;
    if (isSame || misplaced.has(folder)) return;
    if (partitionOf(env, service, app, hour).folder === folder) {
      namesOf.set(folder, { env, service, app });
      return;
    }
    misplaced.add(folder);
    report('RAW_LINE_MISPLACED', replayed, 'names another app, service or environment than its folder');
  };

  const read = (replayed: ReplayedLine, receivedAtMicros: number): IndexedFailure | undefined => {
    try {
      return reader.decode(replayed, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      report('RAW_LINE_INVALID', replayed, 'is not a payload');
      return undefined;
    }
  };

  const apply = async ({ receivedAtMicros, events }: ReplayedCommit): Promise<void> => {
    const accepted: { readonly replayed: ReplayedLine; readonly event: IndexedEvent }[] = [];
    for (const replayed of events) {
      let event = read(replayed, receivedAtMicros);
      if (event === undefined) continue;
      if (repeatsOf(event.payload.extra) !== undefined) {
        event = await reader.regroupRepeat(event, content.removed.beforeMicros);
      }
      checkNames(replayed, event.payload);
      const { partition, line, offset, bytes } = replayed;
      accepted.push({ replayed, event: { event, partition, line, offset, bytes, receivedAtMicros } });
    }
    const describe = (index: number): DescribedFailure => {
      const one = accepted[index];
      if (one === undefined) throw new RangeError('The described event does not belong to its commit.');
      return reader.describe(one.replayed, receivedAtMicros);
    };
    content.apply(
      accepted.map(({ event }) => event),
      describe,
    );
  };

  return async ({ afterMicros, untilMicros }, afterCommit) => {
    for await (const commit of context.record.replay({ afterMicros })) {
      if (commit.receivedAtMicros > untilMicros) break;
      await apply(commit);
      await afterCommit();
    }
  };
}
