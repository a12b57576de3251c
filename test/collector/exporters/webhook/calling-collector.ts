import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { ExporterStats, Stats } from '../../../../generated/reader-answers.js';
import type { Settings } from '../../../../generated/settings.js';
import { post } from '../../answer.js';
import { type RunningService, settingsFor, startService } from '../../running-service.js';
import { closeReceivers } from './call-receiver.js';

const running: RunningService[] = [];

/** The default configuration that calls an address, with quick retries. */
export function callingSettings(directory: string, url: string, ...sets: string[]): Settings {
  return settingsFor(
    directory,
    'service.pipelines.events.exporters=[store, webhook]',
    'service.pipelines.events.processors=[]',
    `exporters.webhook.endpoint=${url}`,
    'exporters.webhook.allow_private_addresses=true',
    'exporters.webhook.retry_on_failure.initial_interval=5ms',
    'exporters.webhook.retry_on_failure.max_interval=20ms',
    ...sets,
  );
}

export async function startCalling(settings: Settings): Promise<RunningService> {
  const started = await startService(settings);
  running.push(started);
  return started;
}

export async function stopCalling(service: RunningService): Promise<void> {
  running.splice(running.indexOf(service), 1);
  await service.service.shutdown();
}

/** For `afterEach`. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(({ service }) => service.shutdown()));
  await closeReceivers();
}

/** Answers the issue ids. */
export async function send({ eventsUrl }: RunningService, ...payloads: RawPayload[]): Promise<string[]> {
  const { body } = await post(eventsUrl, JSON.stringify(payloads));
  return (body.events ?? []).map(({ issue_id: issueId }) => issueId);
}

export async function act({ apiUrl }: RunningService, issueId: string, action: object): Promise<void> {
  const answer = await fetch(`${apiUrl}/issues/${issueId}/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(action),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

export async function webhookStats({ apiUrl }: RunningService): Promise<ExporterStats> {
  const { exporters } = (await (await fetch(`${apiUrl}/stats`)).json()) as Stats;
  const own = exporters?.['webhook'];
  if (own === undefined) throw new Error('the webhook has no stats');
  return own;
}
