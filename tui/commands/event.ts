import { briefMarkdown } from '../../core/brief/brief.js';
import { eventBrief } from '../../core/brief/event-brief.js';
import type { EventDetail } from '../../generated/reader-answers.js';
import { detailText } from '../format/event/detail-view.js';
import { eventMarkdown } from '../format/export/markdown-issue.js';
import { eventNotFound, findEventId } from './find-ids.js';
import { printedLinks, withLinks } from './printed-links.js';
import { chooseFormat, type DetailOptions, maxTokensOf, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface EventOptions extends DetailOptions {
  eventId: string;
}

/** Prints one event: as text (also into a pipe), NDJSON, Markdown, a brief, or the JSON of the reading API. Returns the exit code. */
export function runEvent(options: EventOptions): Promise<number> {
  const { reader, stdout } = options;
  return runPrinting(options, async () => {
    const format = options.json ? chooseFormat(options) : (options.format ?? 'table');
    const maxTokens = maxTokensOf(options);
    const eventId = await findEventId(reader, options.eventId);
    const event = await reader.getEvent(eventId);
    if (event === undefined) throw eventNotFound(eventId);
    switch (format) {
      case 'document':
        return await printJson(stdout, event);
      case 'ndjson':
        return await printJsonLines(stdout, [event]);
      case 'brief':
        return await print(stdout, briefMarkdown(eventBrief(event, { maxTokens, nowMs: Date.now() })));
      case 'markdown':
        return await print(stdout, eventMarkdown(event));
      case 'table':
        return await printDetail(event, options);
    }
  });
}

async function printDetail(event: EventDetail, options: EventOptions): Promise<void> {
  const linkOf = await printedLinks(options, event.normalized.release);
  const text = detailText(event);
  await print(options.stdout, linkOf === undefined ? text : withLinks(text, event, linkOf));
}
