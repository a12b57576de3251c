import { logicOf } from '../../../tui/app/screen-table.js';
import { type TerminalState, topScreen } from '../../../tui/state/terminal-state.js';
import type { Command } from '../../../tui/terminal/keymap.js';
import { createArrayReader, sampleEvent, sampleIssue } from '../array-reader.js';
import { ENTER, settle, started, typeKeys } from '../type-keys.js';

const ASKED = ['open', 'resolve', 'ignore', 'reopen', 'copy', 'next', 'filter'] as const satisfies readonly Command[];

function offered(state: TerminalState): readonly Command[] {
  const logic = logicOf(topScreen(state));
  return ASKED.filter((command) => logic.isOffered(state, command));
}

describe('the offered keys', () => {
  it('include those of an issue only if one is selected', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)] });
    const state = await started(reader);
    expect(offered(state)).toEqual(['open', 'resolve', 'ignore', 'copy', 'next', 'filter']);
    expect(offered(await settle(typeKeys(state, `/none${ENTER}`), reader))).toEqual(['next', 'filter']);
  });

  it.each(['resolved', 'ignored'] as const)('reopen an issue that is %s, instead of resolving it', async (status) => {
    const reader = createArrayReader({ issues: [sampleIssue(0, { status })] });
    const all = await settle(typeKeys(await started(reader), '6'), reader);
    expect(offered(all)).toContain('reopen');
    expect(offered(all)).not.toContain('resolve');
  });

  it('do not open a text, or an issue that is gone', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)], events: [sampleEvent(0, 1)] });
    const issue = await settle(typeKeys(await started(reader), ENTER), reader);
    expect(offered(issue)).toContain('open');
    for (const pane of ['3', '4', '5']) {
      expect(offered(await settle(typeKeys(issue, pane), reader))).not.toContain('open');
    }
    reader.issues = [];
    expect(offered(await settle(issue, reader))).toEqual(['copy', 'next']);
  });

  it('go to the next event only if there is another one', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)], events: [sampleEvent(0, 1)] });
    const open = async (): Promise<TerminalState> => {
      const issue = await settle(typeKeys(await started(reader), ENTER), reader);
      return settle(typeKeys(issue, ENTER), reader);
    };
    expect(offered(await open())).not.toContain('next');
    reader.events = [...reader.events, sampleEvent(0, 2)];
    expect(offered(await open())).toContain('next');
  });
});
