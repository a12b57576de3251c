import { hasSettingsType } from '../../config/component-settings.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import { loadConfig } from '../../config/load-config.js';
import { Fault } from '../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { runInSlices, type Steps } from '../processors/event-processor/steps.js';
import { Tally } from '../processors/redaction/tally.js';
import { TextRedactor } from '../processors/redaction/text-redactor.js';
import { ValueRedactor } from '../processors/redaction/value-redactor.js';

/** Members that the processor `redaction` leaves unchanged too. */
const UNCHANGED = ['app', 'env', 'level', 'release', 'service', 'timestamp'];

/** Creates a function that redacts the events of a run with the defaults of the processor `redaction`, in slices if an event is large. */
export function createEventMask(): (payload: JsonObject) => Promise<JsonObject> {
  const config = loadConfig({ files: [loadDefaultConfig()], sets: ['processors.redaction={}'], env: {} });
  const settings = config.settings.processors['redaction'];
  if (!hasSettingsType('redaction', 'redaction', settings))
    throw new Fault('RUN_INCOMPLETE', 'redaction is not available');
  const texts = new TextRedactor(settings);
  const values = new ValueRedactor(settings, texts);

  function* masked(payload: JsonObject): Steps<JsonObject> {
    const tally = new Tally();
    const { extra } = payload;
    const run = isJsonObject(extra) ? extra['run'] : undefined;
    const lines = isJsonObject(run) ? run['last_lines'] : undefined;
    let event = payload;
    if (isJsonObject(extra) && isJsonObject(run) && Array.isArray(lines) && lines.length > 0) {
      // A private key spans several lines.
      const text = yield* texts.redactInSteps(lines.join('\n'), tally);
      event = { ...payload, extra: { ...extra, run: { ...run, last_lines: text.split('\n') } } };
    }
    const unchanged = UNCHANGED.flatMap((key) => (Object.hasOwn(payload, key) ? [[key, payload[key]]] : []));
    const result = yield* values.redactValue(event, tally);
    return { ...(isJsonObject(result) ? result : event), ...Object.fromEntries(unchanged) };
  }

  return (payload) => runInSlices(masked(payload));
}
