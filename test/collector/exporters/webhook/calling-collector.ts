import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { ExporterStats } from '../../../../generated/reader-answers.js';
import type { Settings } from '../../../../generated/settings.js';
import { closeBodyServers } from '../../../helpers/body-server.js';
import { post } from '../../post.js';
import { type RunningService, settingsFor, statsOf, stopServices } from '../../running-service.js';

/** The default configuration with a webhook and short retry delays. */
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

/** Call in `afterEach`. */
export async function stopAll(): Promise<void> {
  await stopServices();
  await closeBodyServers();
}

/** Returns the issue ids. */
export async function send({ eventsUrl }: RunningService, ...payloads: RawPayload[]): Promise<string[]> {
  const { body } = await post(eventsUrl, JSON.stringify(payloads));
  return (body.events ?? []).map(({ issue_id: issueId }) => issueId);
}

export async function act({ apiUrl }: RunningService, issueId: string, action: object): Promise<void> {
  const response = await fetch(`${apiUrl}/issues/${issueId}/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(action),
  });
  if (!response.ok) throw new Error(await response.text());
}

export async function webhookStats(service: RunningService): Promise<ExporterStats> {
  const { exporters } = await statsOf(service);
  const own = exporters?.['webhook'];
  if (own === undefined) throw new Error('the webhook has no stats');
  return own;
}
