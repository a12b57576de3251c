import { Fault } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import type { FailureReader } from '../../core/reader.js';
import { detailText } from '../format/detail-view.js';
import { printJson } from './print-json.js';
import { type PrintingOptions, runPrinting } from './run-printing.js';
import { print } from './text-output.js';

export interface EventOptions extends PrintingOptions {
  reader: FailureReader;
  /** As a person typed it. */
  eventId: string;
}

/** Prints the detail view of one event as text, or with `json` the event as the reading API answers it. Answers the exit code. */
export function runEvent(options: EventOptions): Promise<number> {
  const { reader, json, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const eventId = toEventId(options.eventId);
    if (eventId === undefined) {
      throw new Fault('ARGUMENT_INVALID', `"${options.eventId}" is no event id; \`faultline events\` lists them.`);
    }
    const event = await reader.getEvent(eventId);
    if (event === undefined) {
      throw new Fault('EVENT_NOT_FOUND', `There is no event ${eventId} here.`);
    }
    if (json) await printJson(stdout, event);
    else await print(stdout, detailText(event));
  });
}
