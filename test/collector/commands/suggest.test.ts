import { runSuggest } from '../../../collector/commands/regroup/suggest.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import type { Regrouping } from '../../../core/storage/regroup/regrouping.js';
import type { Suggestion } from '../../../generated/reader-answers.js';

const IDS = ['aaaaaaaa00000000', 'bbbbbbbb00000000', 'cccccccc00000000'];

/** Accepts all, where the second one no longer exists when its turn comes. */
async function acceptAll(json: boolean): Promise<{ code: number; printed: string; decided: string[] }> {
  const decided: string[] = [];
  let printed = '';
  const write = (text: string): boolean => {
    printed += text;
    return true;
  };
  const sink = { write, isTTY: false, columns: 80 };
  const suggestions = IDS.map((id) => ({ id }) as Suggestion);
  const reader: Partial<FailureReader> = {
    suggestions: async () => ({ suggestions, decided: [] }),
    close: async () => undefined,
  };
  const regrouping: Partial<Regrouping> = {
    decide: async (id) => {
      if (id === IDS[1]) throw new Fault('SUGGESTION_NOT_FOUND', `suggestion ${id} does not exist`);
      decided.push(id);
      return null;
    },
    close: async () => undefined,
  };
  const code = await runSuggest({
    accept: IDS,
    preview: undefined,
    dismiss: undefined,
    undo: undefined,
    openList: async () => reader as FailureReader,
    open: async () => regrouping as Regrouping,
    service: undefined,
    by: null,
    json,
    env: {},
    stdout: sink,
    stderr: sink,
  });
  return { code, printed, decided };
}

describe('faultline suggest --accept with several ids', () => {
  it('says which one an earlier acceptance made void, and accepts the others', async () => {
    const { code, printed, decided } = await acceptAll(false);
    expect(code).toBe(0);
    expect(decided).toEqual([IDS[0], IDS[2]]);
    expect(printed).toContain('bbbbbbbb  Nothing to accept: an earlier decision changed its issues.\n');
  });

  it('says so in JSON', async () => {
    expect((await acceptAll(true)).printed).toMatch(/"decision": ?"accept",\s*"result": ?null,\s*"void": ?true/);
  });
});
