import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { SettingsFault } from '../../config/check/locate-faults.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { ConfigError, type ConfigProblem, formatProblem } from '../../config/config-error.js';
import { type ExaminedConfig, examineConfig } from '../../config/load-config.js';
import { messageOf } from '../../core/event/fault.js';
import { fleetNames, parseMarks } from '../nats/fleet-messages.js';
import { openNats } from '../nats/nats-transport.js';
import type { NatsTransport } from '../nats/transport.js';
import type { CommandOutput, TextSink } from './command-line.js';
import { type ConfigOptions, printProblems, readSources } from './load-settings.js';

/** Options of `faultline validate`. */
export interface ValidateOptions extends ConfigOptions, CommandOutput {
  /** Whether to check this machine too: ports, folders, certificates, tokens, log files. */
  startChecks: boolean;
  /** Whether to ask NATS servers and running gateways too. */
  connect: boolean;
}

type Findings = Pick<ExaminedConfig, 'problems' | 'warnings'>;

/** Checks a configuration without running it. Exit code 0, or 1 after printing every problem as `file:line:column: …`. */
export async function runValidate(options: ValidateOptions): Promise<number> {
  const { problems, warnings } = await examine(options);
  printProblems(options.stderr, problems.map(formatProblem), warnings.map(formatProblem));
  if (problems.length > 0) return 1;
  options.stdout.write('configuration is valid\n');
  return 0;
}

async function examine(options: ValidateOptions): Promise<Findings> {
  try {
    const examined = examineConfig(await readSources(options));
    const findings = options.startChecks ? await addStartChecks(examined) : examined;
    if (!options.connect) return findings;
    return { ...findings, problems: [...findings.problems, ...(await askFleets(examined, options.stdout))] };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, warnings: [] };
    throw error;
  }
}

async function addStartChecks({
  schema,
  settings,
  problems,
  warnings,
  locate,
  sort,
}: ExaminedConfig): Promise<Findings> {
  // Values that do not match the schema cannot be checked against the machine.
  if (settings === undefined) return { problems, warnings };
  const { startNeedsOf } = await import('../service/start-needs.js');
  const { checkStart } = await import('../service/check-start.js');
  const start = await checkStart(startNeedsOf(settings, schema), Date.now());
  const reported = new Set(problems.map(({ key }) => key));
  // A problem of the configuration itself is not reported again for its consequence.
  const added = locate(start.faults).filter(({ key }) => !reported.has(key));
  return { problems: sort([...problems, ...added]), warnings: [...warnings, ...locate(start.warnings)] };
}

/** Prints what the fleets of all components `nats` say; returns those that cannot be asked. */
async function askFleets({ settings, locate }: ExaminedConfig, stdout: TextSink): Promise<ConfigProblem[]> {
  const faults: SettingsFault[] = [];
  for (const section of ['receivers', 'exporters'] as const) {
    for (const [id, component] of Object.entries(settings?.[section] ?? {})) {
      if (!hasSettingsType('nats', id, component)) continue;
      const key = `${section}.${id}`;
      try {
        const transport = await openNats(component, { key, logger: pino({ level: 'silent' }) });
        const sentences = await describeFleet(transport, component).finally(() => transport.close());
        stdout.write(sentences.map((sentence) => `${key}: ${sentence}\n`).join(''));
      } catch (error) {
        faults.push({ path: [section, id, 'servers'], message: messageOf(error) });
      }
    }
  }
  return locate(faults);
}

/** Repeated, because a question or an answer may be lost. */
const ASKED_TIMES = 4;
const ASK_INTERVAL_MS = 500;

/** Sentences about the stream of a fleet and about who owns its partitions; changes nothing. Rejects with faults of the transport. */
export async function describeFleet(
  transport: NatsTransport,
  { prefix, partitions }: { readonly prefix: string; readonly partitions: number },
  intervalMs = ASK_INTERVAL_MS,
): Promise<string[]> {
  const names = fleetNames(prefix);
  const stream = (await transport.hasStream(names.eventsStream))
    ? 'exists'
    : 'is missing: the first collector creates it';
  const gateways = new Map<string, readonly number[]>();
  const source = randomUUID();
  const end = transport.subscribe(names.applied(source), (body) => {
    const marks = parseMarks(body);
    if (marks !== undefined) gateways.set(marks.gateway, marks.own);
  });
  for (let times = 0; times < ASKED_TIMES; times += 1) {
    transport.send(names.ask, Buffer.from(source));
    await delay(intervalMs);
  }
  end();
  const owned = [...gateways.values()].flat();
  const ownedBy = (isRight: (owners: number) => boolean): string =>
    rangesOf(
      [...Array(partitions).keys()].filter((partition) => isRight(owned.filter((other) => other === partition).length)),
    );
  const [orphans, shared] = [ownedBy((owners) => owners === 0), ownedBy((owners) => owners > 1)];
  return [
    `the servers answer; the stream ${names.eventsStream} ${stream}`,
    ...Array.from(gateways, ([id, partitions]) => `the gateway ${id} owns ${rangesOf(partitions) || 'no partition'}`),
    ...(orphans === '' ? [] : [`no running gateway owns the partitions ${orphans}: their events wait`]),
    ...(shared === '' ? [] : [`several gateways own the partitions ${shared}: each stores all of their events`]),
  ];
}

/** Writes ascending numbers as `0-7,12`. */
function rangesOf(numbers: readonly number[]): string {
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  const ends = numbers.filter((number) => !numbers.includes(number + 1));
  return starts.map((start, index) => (start === ends[index] ? `${start}` : `${start}-${ends[index]}`)).join(',');
}
