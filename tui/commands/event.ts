import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { detailText } from '../format/event/detail-view.js';
import { eventMarkdown } from '../format/export/markdown-event.js';
import { chosenFormat, type DetailFormat, type FormattedOptions } from './printing-format.js';
import { runPrinting } from './run-printing.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface EventOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  /** As a person typed it. */
  eventId: string;
}

/**
 * Prints the detail view of one event as text, also into a pipe (design section 5), or the event as one line of NDJSON, as Markdown, or with `json` as the reading API answers it.
 * Answers the exit code.
 */
export function runEvent(options: EventOptions): Promise<number> {
  const { reader, json, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = json ? chosenFormat(options) : (options.format ?? 'table');
    const eventId = toEventId(options.eventId);
    if (eventId === undefined) {
      throw new Fault('ARGUMENT_INVALID', `"${options.eventId}" is no event id; \`faultline events\` lists them.`);
    }
    const event = await reader.getEvent(eventId);
    if (event === undefined) {
      throw new Fault('EVENT_NOT_FOUND', `There is no event ${eventId} here.`);
    }
    if (format === 'document') await printJson(stdout, event);
    else if (format === 'ndjson') await printJsonLines(stdout, [event]);
    else await print(stdout, format === 'markdown' ? eventMarkdown(event) : detailText(event));
  });
}
