// People who work with a collector: actions on issues, releases and deploys, decisions about suggestions.
import { pause } from './collector.js';

const RULES = [{}, { version: 1 }, { rules: [{ query: 'route:/cart', fingerprint: ['{{ default }}', 'cart'] }] }];
const SNOOZES = ['forever', '12h', '5x', '20x', '10x/1h', 'until:2099-01-01'];
/** A release keeps its last 20 deploys. */
const DEPLOYS_OF_RELEASE = 10;

const jsonRequest = (method, body) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Resolves to the status and the body; to undefined without a response. */
async function call(url, method, body) {
  const response = await fetch(url, body === undefined ? { method } : jsonRequest(method, body)).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  return answer === undefined ? undefined : { status: response.status, answer };
}

/** Chooses an action on one of the listed issues. */
function actionOf(random, issue, others) {
  const merged = issue.merged ?? [];
  return random.pick([
    { action: 'comment', text: 'seen' },
    { action: 'resolve' },
    { action: 'resolve', in_next_release: true },
    { action: 'resolve', in_release: random.pick(['shop@1.1.0', 'shop@1.2.0', 'nightly']) },
    { action: 'reopen' },
    { action: 'ignore', snooze: random.pick(SNOOZES) },
    { action: 'assign', assignee: random.pick(['anna', 'bo', null]) },
    { action: 'merge', issues: others.slice(0, 1 + random.below(2)).map(({ issue_id: id }) => id) },
    merged.length > 1 && random.chance(0.5) ? { action: 'split', issues: merged.slice(0, 1) } : { action: 'split' },
    { action: 'undo' },
  ]);
}

/** Sends actions on listed issues; the uid of an action is its reason. */
export async function startActing({ journal, urls, life }) {
  const { random } = journal;
  while (!life.isStopped) {
    const page = await call(`${urls.api}/issues?limit=20`, 'GET');
    const issues = page?.answer.issues ?? [];
    const issue = issues.length > 1 ? random.pick(issues) : undefined;
    if (issue !== undefined) {
      const uid = random.uid();
      const others = issues.filter((other) => other !== issue && random.chance(0.3));
      const action = { ...actionOf(random, issue, others.length > 0 ? others : [issues.at(-1)]), reason: uid };
      const entry = { isAcknowledged: false };
      journal.actions.set(uid, entry);
      const result = await call(`${urls.api}/issues/${issue.issue_id}/actions`, 'POST', action);
      entry.isAcknowledged = result?.status === 200;
      // 404: regrouped meanwhile; 422: nothing to undo, to split or to merge.
      if (result !== undefined && ![200, 404, 422, 503].includes(result.status))
        journal.report('actions', issue.issue_id, `${JSON.stringify(action)} returned ${JSON.stringify(result)}`);
    }
    await pause(20 + random.below(100));
  }
}

/** Records releases with commits, and deploys with their uid as name. */
export async function startReleasing({ journal, urls, life }) {
  const { random } = journal;
  let current;
  while (!life.isStopped) {
    const uid = random.uid();
    if (current === undefined || current.entry.deploys.size >= DEPLOYS_OF_RELEASE || random.chance(0.1)) {
      const name = `release-${uid}`;
      const commits = Array.from({ length: random.below(5) }, () => ({
        id: random.uid(),
        message: 'fix',
        paths: ['a.js'],
      }));
      const entry = { isAcknowledged: false, deploys: new Map(), commits };
      journal.releases.set(name, entry);
      const result = await call(`${urls.api}/releases`, 'POST', { version: name, commits });
      entry.isAcknowledged = result?.status === 200;
      if (entry.isAcknowledged) current = { name, entry };
      checkStatus(journal, name, result);
    } else {
      const entry = { isAcknowledged: false };
      current.entry.deploys.set(uid, entry);
      const deploy = { environment: 'production', name: uid };
      const result = await call(`${urls.api}/releases/${current.name}/deploys`, 'POST', deploy);
      entry.isAcknowledged = result?.status === 200;
      checkStatus(journal, uid, result);
    }
    await pause(40 + random.below(150));
  }
}

function checkStatus(journal, where, result) {
  if (result !== undefined && ![200, 503].includes(result.status))
    journal.report('releases', where, `returned ${JSON.stringify(result)}`);
}

/** Applies rules to everything stored or rolls them back; resolves when the collector has begun. */
export async function regroup({ random, urls }) {
  const [kind, body] = random.pick([...RULES.map((rules) => ['apply', rules]), ['roll_back', {}]]);
  return await call(`${urls.api}/regroup/${kind}`, 'POST', body);
}

/** Accepts, dismisses or undoes a suggestion, and notes what the collector then lists as decided. */
export async function decide({ journal, urls }) {
  const { random } = journal;
  const listed = await call(`${urls.api}/suggestions`, 'GET');
  if (listed === undefined) return;
  const { suggestions = [], decided = [] } = listed.answer;
  const isUndo = decided.length > 0 && (suggestions.length === 0 || random.chance(0.3));
  if (!isUndo && suggestions.length === 0) return;
  const { id } = random.pick(isUndo ? decided : suggestions);
  const decision = isUndo ? 'undo' : random.pick(['accept', 'accept', 'dismiss']);
  // Until the response and the end of its job, either state is right.
  journal.decisions.delete(id);
  const result = await call(`${urls.api}/suggestions/${id}/${decision}`, 'POST', { by: 'anna' });
  if (result?.status !== 200 && result?.status !== 202) return;
  const jobId = result.status === 202 ? result.answer.id : undefined;
  while (jobId !== undefined) {
    const job = await call(`${urls.api}/regroup`, 'GET');
    if (job === undefined || job.answer.id !== jobId) return;
    if (job.answer.state === 'failed')
      journal.report('suggestions', id, `${decision} failed: ${JSON.stringify(job.answer.error)}`);
    if (job.answer.state === 'done') break;
    if (job.answer.state !== 'running') return;
    await pause(20);
  }
  const after = await call(`${urls.api}/suggestions`, 'GET');
  if (after !== undefined) journal.decisions.set(id, after.answer.decided.find((one) => one.id === id)?.state);
}

/** Compares releases, sessions and decisions with what a collector lists. */
export async function compareTriage({ journal, urls, report }) {
  for (const [name, { isAcknowledged, deploys, commits }] of journal.releases) {
    const found = await call(`${urls.api}/releases/${name}`, 'GET');
    if (found?.status === 404 && isAcknowledged) report('releases', name, 'is not there');
    if (found?.status !== 200) continue;
    const times = new Map();
    for (const { name: uid } of found.answer.deploys) times.set(uid, (times.get(uid) ?? 0) + 1);
    for (const [uid, deploy] of deploys) {
      const count = times.get(uid) ?? 0;
      if (count > 1 || (deploy.isAcknowledged && count === 0))
        report('deploys', `${name} ${uid}`, `is there ${count} times`);
      times.delete(uid);
    }
    for (const uid of times.keys()) report('deploys', `${name} ${uid}`, 'was not sent');
    const ids = found.answer.commit_list.map(({ id }) => id);
    if (isAcknowledged && JSON.stringify(ids) !== JSON.stringify(commits.map(({ id }) => id)))
      report('commits', name, `has ${JSON.stringify(ids)}`);
  }
  for (const [name, { sent, acknowledged, crashSent, crashAcknowledged }] of journal.sessions) {
    const { sessions = 0, crashed = 0 } = (await call(`${urls.api}/releases/${name}`, 'GET'))?.answer.health ?? {};
    if (sessions < acknowledged || sessions > sent)
      report('sessions', name, `counts ${sessions}, ${acknowledged} of ${sent} were acknowledged`);
    if (crashed < crashAcknowledged || crashed > crashSent)
      report('sessions', name, `counts ${crashed} crashed, ${crashAcknowledged} of ${crashSent} were acknowledged`);
  }
  const { decided } = (await call(`${urls.api}/suggestions`, 'GET'))?.answer ?? { decided: [] };
  for (const [id, state] of journal.decisions) {
    const found = decided.find((one) => one.id === id)?.state;
    if (found !== state) report('suggestions', id, `is ${found}, was acknowledged as ${state}`);
  }
}
