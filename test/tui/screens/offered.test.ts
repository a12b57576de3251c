import { logicOf } from '../../../tui/app/screen-table.js';
import { type TerminalState, topScreen } from '../../../tui/state/terminal-state.js';
import type { Command } from '../../../tui/terminal/keymap.js';
import { createArrayReader, sampleEvent, sampleIssue } from '../array-reader.js';
import { ENTER, live, started, type } from '../pressing.js';

const ASKED = ['open', 'resolve', 'ignore', 'reopen', 'copy', 'next', 'filter'] as const satisfies readonly Command[];

function offered(state: TerminalState): readonly Command[] {
  const logic = logicOf(topScreen(state));
  return ASKED.filter((command) => logic.isOffered(state, command));
}

describe('the keys that are offered', () => {
  it('are those of an issue only where there is one', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)] });
    const state = await started(reader);
    expect(offered(state)).toEqual(['open', 'resolve', 'ignore', 'copy', 'next', 'filter']);
    expect(offered(await live(type(state, `/none${ENTER}`), reader))).toEqual(['next', 'filter']);
  });

  it.each(['resolved', 'ignored'] as const)('open again what is %s, in place of resolving it', async (status) => {
    const reader = createArrayReader({ issues: [sampleIssue(0, { status })] });
    const all = await live(type(await started(reader), '6'), reader);
    expect(offered(all)).toContain('reopen');
    expect(offered(all)).not.toContain('resolve');
  });

  it('open nothing from a text, and nothing of an issue that is gone', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)], events: [sampleEvent(0, 1)] });
    const issue = await live(type(await started(reader), ENTER), reader);
    expect(offered(issue)).toContain('open');
    for (const pane of ['3', '4', '5']) {
      expect(offered(await live(type(issue, pane), reader))).not.toContain('open');
    }
    reader.issues = [];
    expect(offered(await live(issue, reader))).toEqual(['copy', 'next']);
  });

  it('go to the next event only where there is another one', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(0)], events: [sampleEvent(0, 1)] });
    const open = async (): Promise<TerminalState> => {
      const issue = await live(type(await started(reader), ENTER), reader);
      return live(type(issue, ENTER), reader);
    };
    expect(offered(await open())).not.toContain('next');
    reader.events = [...reader.events, sampleEvent(0, 2)];
    expect(offered(await open())).toContain('next');
  });
});
