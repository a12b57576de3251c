import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { AttributesProcessorSettings } from '../../../generated/settings.js';
import type { Component } from '../../component/component.js';
import type { Consumer } from '../../component/consumer.js';
import { createEventProcessor, type EventProcessorContext } from '../event-processor/event-processor.js';
import { runNowOrInSlices, type Steps } from '../event-processor/steps.js';
import { type AttributeAction, compileAction } from './attribute-action.js';

/**
 * Creates processor `attributes`, which applies the actions in order. Throws RangeError for settings that the configuration check
 * refuses.
 */
export function createAttributesProcessor(
  id: string,
  settings: AttributesProcessorSettings,
  place: EventProcessorContext,
): Component & Consumer {
  const actions = settings.actions.map(compileAction);
  return createEventProcessor(id, place, settings.error_mode, {
    event: (event) => runNowOrInSlices(afterActions(event, actions)),
  });
}

function* afterActions(event: ReceivedEvent, actions: readonly AttributeAction[]): Steps<ReceivedEvent> {
  let { payload } = event;
  for (const act of actions) payload = yield* act(payload);
  return payload === event.payload ? event : { payload };
}
