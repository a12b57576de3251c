import { DEFAULT_LIMITS, MAX_LINE_BYTES, MAX_MEMBERS } from '../../../collector/import/default-bounds.js';
import { hasSettingsType } from '../../../config/component-settings.js';
import { loadDefaultConfig } from '../../../config/default-config.js';
import { loadConfig } from '../../../config/load-config.js';
import { parseSize } from '../../../config/values/size.js';

describe('the limits of import and fingerprint', () => {
  it('are those of an events receiver with default settings', async () => {
    const { settings } = loadConfig({ files: [await loadDefaultConfig()], sets: [], env: {} });
    const events = settings.receivers['events'];
    if (!hasSettingsType('events', 'events', events)) throw new Error('no receiver events');
    const { max_event_size, max_members, max_string_length, max_stack_length, max_depth, max_tags } = events.limits;
    expect(DEFAULT_LIMITS).toEqual({
      maxStringLength: max_string_length,
      maxStackLength: max_stack_length,
      maxDepth: max_depth,
      maxTags: max_tags,
    });
    expect(MAX_MEMBERS).toBe(max_members);
    expect(MAX_LINE_BYTES).toBe(parseSize(max_event_size));
  });
});
