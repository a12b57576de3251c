import { sampleEventId } from '../../array-reader.js';
import { ENTER, typeKeys } from '../../type-keys.js';
import { atEvent, cursorRow, event, eventScreen, load, NODE_STACK, shown } from './at-event.js';

describe('the comparison', () => {
  it('is with the previous event in time, by field, with differences only', async () => {
    const first = event(1, { message: 'quantity 12 of SKU-4711', release: null, tags: { region: 'eu', old: 'x' } });
    const second = event(2, { message: 'quantity 15 of SKU-4711', tags: { region: 'eu', fresh: 'y' } });
    const { state, reader } = await atEvent([first, second]);
    const rows = shown(await load(typeKeys(state, '4'), reader));
    expect(rows[0]).toMatch(/^ {2}- 10:00:01\.000 {2}previous event +6 fields differ, \d+ equal$/);
    expect(rows[1]).toMatch(/^ {2}\+ 10:00:02\.000 {2}this event/);
    expect(rows.slice(2)).toEqual([
      '› event_id',
      '    - …00-7000-8000-000000000001',
      '    + …00-7000-8000-000000000002',
      '  message',
      '    - quantity 12 of SKU-4711',
      '    + quantity 15 of SKU-4711',
      '  release',
      '    - null',
      '    + v1.4.2',
      '  tags.fresh',
      '    + y',
      '  tags.old',
      '    - x',
      '  timestamp',
      expect.stringMatching(/^ {4}- /),
      expect.stringMatching(/^ {4}\+ /),
    ]);
  });

  it('compares stacks line by line, and lists equal fields on request', async () => {
    const other = NODE_STACK.replace('save.js:31:11', 'save.js:33:11');
    const { state, reader } = await atEvent([event(1, { stack: NODE_STACK }), event(2, { stack: other })]);
    const diff = await load(typeKeys(state, '4'), reader);
    const rows = shown(diff);
    const at = rows.findIndex((row) => row.trim() === 'stack');
    expect(rows.slice(at, at + 5)).toEqual([
      '  stack',
      '      1 line is equal',
      '    -     at saveOrder (/srv/api/src/orders/save.js:31:11)',
      '    +     at saveOrder (/srv/api/src/orders/save.js:33:11)',
      '      7 lines are equal',
    ]);
    expect(shown(typeKeys(diff, 'ZG')).join('\n')).toContain('user_id  u-7');
    expect(cursorRow(typeKeys(diff, `/33:${ENTER}`))).toContain('save.js:33:11');
  });

  it('is chosen from the list below, and opens the other event', async () => {
    const { state, reader } = await atEvent([event(1), event(2), event(3)], { place: 1 });
    const menu = typeKeys(state, 'd');
    expect(menu.overlay).toMatchObject({ kind: 'menu', items: { length: 2 }, selected: 1 });
    const previous = await load(typeKeys(menu, ENTER), reader);
    expect(eventScreen(previous).diff.other?.event_id).toBe(sampleEventId(1));
    expect(shown(previous)[0]).toContain('previous event');
    const later = await load(typeKeys(menu, `k${ENTER}`), reader);
    expect(shown(later)[0]).toContain('chosen event');
    expect(eventScreen(typeKeys(later, ENTER)).eventId).toBe(sampleEventId(3));
    reader.events = reader.events.filter(({ event_id }) => event_id !== sampleEventId(3));
    expect(eventScreen(await load(typeKeys(menu, `k${ENTER}`), reader)).diff).toMatchObject({ isGone: true });
  });

  it('uses the next event if the previous one is missing', async () => {
    const { state, reader } = await atEvent([event(1), event(2)], { place: 1 });
    expect(shown(await load(typeKeys(state, '4'), reader))[0]).toContain('next event');
  });

  it('shows a message without another event', async () => {
    const { state } = await atEvent([event(1)]);
    expect(eventScreen(typeKeys(state, '4')).diff.otherId).toBeUndefined();
    expect(typeKeys(state, 'd')).toMatchObject({
      overlay: undefined,
      notice: { text: 'No other event to compare with.' },
    });
  });
});
