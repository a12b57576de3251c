import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { DEFAULT_GROUPING, type GroupingSettings } from '../../../../core/fingerprint/grouping-settings.js';
import { openGroupingLog } from '../../../../core/storage/groupings/grouping-log.js';
import {
  encodeGroupingLine,
  type GroupingAction,
  type GroupingLine,
  parseGroupingLine,
} from '../../../../core/storage/groupings/grouping-log-line.js';
import {
  activeGrouping,
  type GroupingPlan,
  groupingAt,
  groupingPlan,
} from '../../../../core/storage/groupings/grouping-log-plan.js';
import { ArrivalClock } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';

afterAll(removeTemporaryFolders);

const FIRST: GroupingSettings = { version: 1, patterns_off: [], rules: [] };
const SECOND: GroupingSettings = { version: 2, patterns_off: ['url'], rules: [{ name: 'all', query: '' }] };

function line(number: number, action: GroupingAction, settings: GroupingSettings, throughMicros = 0): GroupingLine {
  return { id: `line ${number}`, atMicros: number * 1_000, action, settings, throughMicros, follows: new Map() };
}

const begin = line(0, 'begin', FIRST);

/** Returns the settings that group an event received at a time. */
function settingsAt(plan: GroupingPlan, micros: number): GroupingSettings | 'committed' {
  return groupingAt(plan, micros).counts;
}

describe('the plan of a log of groupings', () => {
  it('is that of the newest version if the log is missing', () => {
    const plan = groupingPlan([]);
    expect([plan.id, plan.spans, plan.rollsBackTo]).toEqual([null, [], undefined]);
    expect(activeGrouping(plan)).toEqual(DEFAULT_GROUPING);
  });

  it('groups events covered by an apply, and leaves later ones as committed', () => {
    const plan = groupingPlan([begin, line(5, 'apply', SECOND, 4_999)]);
    expect([settingsAt(plan, 1), settingsAt(plan, 4_999), settingsAt(plan, 5_000)]).toEqual([
      SECOND,
      SECOND,
      'committed',
    ]);
    expect(activeGrouping(plan)).toEqual({ ...FIRST, version: 2 });
    expect([plan.id, plan.rollsBackTo, plan.rollsBackToVersion]).toEqual(['line 5', 'line 0', 1]);
  });

  it('after a rollback is as before, and groups the events in between by the earlier settings', () => {
    const plan = groupingPlan([begin, line(5, 'apply', SECOND, 4_999), line(9, 'roll_back', FIRST, 8_000)]);
    const found = [1, 4_999, 5_000, 8_000, 8_001].map((micros) => settingsAt(plan, micros));
    expect(found).toEqual(['committed', 'committed', FIRST, FIRST, 'committed']);
    expect([activeGrouping(plan).version, plan.rollsBackTo]).toEqual([1, undefined]);
  });

  it('keeps the version of the folder when the user changes rules', () => {
    const plan = groupingPlan([begin, line(5, 'configure', SECOND)]);
    expect(activeGrouping(plan)).toEqual({ ...SECOND, version: 1 });
    expect([groupingAt(plan, 4_999).arrived, groupingAt(plan, 5_000).arrived]).toEqual([
      FIRST,
      { ...SECOND, version: 1 },
    ]);
    expect(plan.id).toBe('line 0');
  });

  const steps = fc.array(fc.constantFrom('apply' as const, 'roll_back' as const, 'configure' as const), {
    maxLength: 30,
  });

  /** A log with some events between its lines, as a store would write it. */
  function logOf(actions: readonly GroupingAction[]): GroupingLine[] {
    const lines = [begin];
    for (const [index, action] of actions.entries()) {
      const number = 2 * index + 2;
      const settings: GroupingSettings = { version: index % 3 === 0 ? 1 : 2, patterns_off: [`${index}`], rules: [] };
      lines.push(line(number, action, settings, number * 1_000 - 1));
    }
    return lines;
  }

  it('has ascending spans without overlaps after any applies and rollbacks', () => {
    fc.assert(
      fc.property(steps, (actions) => {
        const { spans } = groupingPlan(logOf(actions));
        spans.forEach(({ afterMicros, throughMicros }, index) => {
          expect(throughMicros).toBeGreaterThan(afterMicros);
          expect(afterMicros).toBeGreaterThanOrEqual(spans[index - 1]?.throughMicros ?? 0);
        });
      }),
    );
  });

  it('is unchanged for events before an apply that was rolled back', () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 80_000 }), (actions, micros) => {
        const before = logOf(actions);
        const number = 2 * actions.length + 2;
        const apply = line(number, 'apply', SECOND, number * 1_000 - 1);
        const back = line(number + 2, 'roll_back', FIRST, (number + 2) * 1_000 - 1);
        const plan = groupingPlan([...before, apply, back]);
        const then = groupingPlan(before);
        const received = Math.min(micros, apply.throughMicros);
        expect(settingsAt(plan, received)).toEqual(settingsAt(then, received));
        expect([plan.rollsBackTo, activeGrouping(plan).version]).toEqual([
          then.rollsBackTo,
          activeGrouping(then).version,
        ]);
      }),
    );
  });

  it('is that of the last apply for the events it covers', () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 80_000 }), (actions, micros) => {
        const number = 2 * actions.length + 2;
        const plan = groupingPlan([...logOf(actions), line(number, 'apply', SECOND, number * 1_000)]);
        expect(settingsAt(plan, Math.max(1, Math.min(micros, number * 1_000)))).toEqual(SECOND);
      }),
    );
  });
});

describe('a line of the log of groupings', () => {
  it('is parsed as it was written', () => {
    const written: GroupingLine = { ...line(3, 'apply', SECOND, 2_500), follows: new Map() };
    expect(parseGroupingLine(encodeGroupingLine(written).trimEnd())).toEqual(written);
  });

  it('is rejected if a member has another form', () => {
    const whole = JSON.parse(encodeGroupingLine(line(3, 'apply', SECOND)));
    const changes = [{ at: 'now' }, { action: 'think' }, { settings: null }, { through: 5 }, { follows: { a: [] } }];
    for (const change of [...changes, { settings: { ...SECOND, rules: [{ name: 1 }] } }]) {
      expect(parseGroupingLine(JSON.stringify({ ...whole, ...change }))).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => expect(parseGroupingLine(text)).toBeUndefined()));
  });

  it('of an unknown version is rejected, not skipped', () => {
    const whole = JSON.parse(encodeGroupingLine(line(3, 'apply', SECOND)));
    const text = JSON.stringify({ ...whole, settings: { ...SECOND, version: 99 } });
    expect(() => parseGroupingLine(text)).toThrow(expect.objectContaining({ code: 'GROUPING_INVALID' }));
  });
});

describe('the log of groupings', () => {
  it('returns what was appended, cuts a torn end and reports invalid lines', async () => {
    const directory = await temporaryFolder();
    const faults: Error[] = [];
    const options = {
      directory,
      files: unsyncedFiles,
      clock: new ArrivalClock(),
      onFault: (fault: Error) => faults.push(fault),
    };
    const log = await openGroupingLog(options);
    await log.append(begin);
    await appendFile(join(directory, 'groupings.ndjson'), 'nothing\n{"id":"torn');
    const again = await openGroupingLog(options);
    expect(again.lines).toEqual([begin]);
    expect(faults).toMatchObject([{ code: 'RECORD_DAMAGED' }]);
    await again.append(line(5, 'apply', SECOND, 4_999));
    await again.close();
    expect((await readFile(join(directory, 'groupings.ndjson'), 'utf8')).trimEnd().split('\n').length).toBe(3);
    expect((await openGroupingLog(options)).lines).toEqual(again.lines);
    await log.close();
  });

  it('holds the clock above its last line', async () => {
    const directory = await temporaryFolder();
    const clock = new ArrivalClock({ nowMs: () => 1 });
    const log = await openGroupingLog({ directory, files: unsyncedFiles, clock });
    await log.append(line(5_000, 'begin', FIRST));
    await log.close();
    const later = new ArrivalClock({ nowMs: () => 1 });
    await openGroupingLog({ directory, files: unsyncedFiles, clock: later });
    expect(later.next()).toBeGreaterThan(5_000_000);
  });
});
