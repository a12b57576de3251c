import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { type RunningService, settingsFor, startService } from '../running-service.js';

const TOKEN = 'token-for-sending-events';

let running: RunningService | undefined;
afterEach(async () => {
  await running?.service.shutdown();
  running = undefined;
});
afterAll(removeTemporaryFolders);

async function originOf(headers: Record<string, string>, ...sets: string[]): Promise<unknown> {
  running ??= await startService(settingsFor(await temporaryFolder(), ...sets));
  const { receivers, extensions } = running.service.describe();
  const body = JSON.stringify(serverPayload());
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  const { events } = await (await fetch(receivers[0]?.url ?? '', sent)).json();
  const url = `${extensions[0]?.url}/api/v1/events/${events[0].event_id}`;
  return (await (await fetch(url)).json()).origin;
}

describe('the origin of an event', () => {
  it('is local for a process of this machine, anonymous if a proxy passed it on', async () => {
    expect(await originOf({})).toBe('local');
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect(await originOf({ [name]: '203.0.113.7' })).toBe('anonymous');
    }
  });

  it('is token where the receiver asks for one', async () => {
    const sets = [
      `extensions.bearertokenauth.token=${TOKEN}`,
      'service.extensions=[query, bearertokenauth]',
      'receivers.events.auth.authenticator=bearertokenauth',
    ];
    expect(await originOf({ authorization: `Bearer ${TOKEN}`, via: '1.1 proxy' }, ...sets)).toBe('token');
  });
});
