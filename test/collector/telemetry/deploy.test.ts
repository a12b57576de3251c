import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { METRICS, metricNames } from '../../../collector/telemetry/metric-catalogue.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { settingsFor, startService } from '../running-service.js';
import { readPromql } from './promql.js';
import { parseScrape, type Scrape } from './scrape.js';

afterAll(removeTemporaryFolders);

const HISTOGRAM_ENDINGS = /_(?:bucket|sum|count)$/;
/** Labels that Prometheus adds to every sample. */
const OF_PROMETHEUS = ['instance', 'job'];
/** Labels of metrics without samples until a failure or a configured backend. The tests of their rooms check that these labels are used. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  faultline_config_reloads_total: ['outcome'],
  faultline_exporter_rewinds_total: ['exporter'],
  faultline_http_connections: ['endpoint'],
  faultline_http_evicted_connections_total: ['endpoint', 'reason'],
  faultline_http_rate_limited_requests_total: ['endpoint'],
  faultline_http_unauthorized_requests_total: ['component'],
  faultline_receiver_gaps_total: ['receiver'],
  faultline_receiver_lag_seconds: ['receiver'],
  faultline_receiver_pending_messages: ['receiver'],
  faultline_receiver_redelivered_messages_total: ['receiver'],
};

/** All components that can run on one machine. */
const SETS = [
  'service.telemetry.metrics.level=normal',
  'service.telemetry.metrics.address=127.0.0.1:0',
  'service.pipelines.events.receivers=[events, otlp, sentry]',
  'receivers.otlp.protocols={ http: { endpoint: "127.0.0.1:0" }, grpc: { endpoint: "127.0.0.1:0" } }',
  'receivers.sentry.endpoint=127.0.0.1:0',
  'processors={ memory_limiter: { limit_mib: 100000 }, redaction: {}, filter: { drop: ["level:debug"] }, attributes: { actions: [{ key: tags.a, action: insert, value: b }] }, rate_limit: {}, sample: {} }',
  'service.pipelines.events.processors=[memory_limiter, redaction, filter, attributes, rate_limit, sample]',
  'extensions.health_check.endpoint=127.0.0.1:0',
  'service.extensions=[query, health_check]',
  'exporters.otlp_http={ endpoint: "http://127.0.0.1:9" }',
  'service.pipelines.events.exporters=[store, otlp_http]',
];

async function scrapeWholeCollector(): Promise<Scrape> {
  const { service, eventsUrl } = await startService(settingsFor(await temporaryFolder(), ...SETS));
  try {
    await post(eventsUrl, JSON.stringify([serverPayload(), { ...serverPayload(), level: 'debug' }, {}]));
    const url = service.describe().metrics ?? '';
    return await waitFor('the first measured delay of the event loop', async () => {
      const scrape = parseScrape(await (await fetch(url)).text());
      return scrape.samples.some(({ name }) => name === 'faultline_process_event_loop_delay_seconds') && scrape;
    });
  } finally {
    await service.shutdown();
  }
}

interface Dashboard {
  readonly panels: readonly { title: string; gridPos: object; targets: readonly { expr: string }[] }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

async function readDeployed(name: string): Promise<string> {
  return await readFile(join('collector/deploy', name), 'utf8');
}

async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readDeployed('grafana/faultline.json')) as Dashboard;
}

async function readAlerts(): Promise<Alerts['groups'][number]['rules']> {
  const { groups } = parse(await readDeployed('prometheus/alerts.yaml')) as Alerts;
  return groups.flatMap(({ rules }) => rules);
}

/** The metrics and labels of an expression that a scrape does not have. */
function missing(expr: string, scrape: Scrape): string[] {
  const { selectors, grouping } = readPromql(expr);
  const known = selectors.map(({ metric }) => labelsOf(metric, scrape));
  const wrong = selectors.flatMap(({ metric, labels, values }, index) => {
    const family =
      HISTOGRAM_ENDINGS.test(metric) && !scrape.types.has(metric) ? metric.replace(HISTOGRAM_ENDINGS, '') : metric;
    if (!scrape.types.has(family)) return [`no metric ${metric}`];
    const unknown = labels.filter((label) => !known[index]?.includes(label));
    const never = values.filter(({ label, value }) => !mayBe(metric, label, value, scrape));
    return [
      ...unknown.map((label) => `no label ${label} of ${metric}`),
      ...never.map(({ label, value }) => `no ${label} ${value} of ${metric}`),
    ];
  });
  const ungrouped = grouping.filter((label) => !known.some((labels) => labels.includes(label)));
  return [...wrong, ...ungrouped.map((label) => `nothing has the label ${label}`)];
}

/** Whether a label of a metric has this value in a scrape; true for a metric without samples. */
function mayBe(metric: string, label: string, value: string, { samples }: Scrape): boolean {
  const found = samples.filter(({ name }) => name === metric);
  return found.length === 0 || found.some(({ labels }) => labels[label] === value);
}

function labelsOf(metric: string, { samples }: Scrape): readonly string[] {
  const found = samples.find(({ name }) => name === metric);
  return [...OF_PROMETHEUS, ...(found ? Object.keys(found.labels) : (UNSEEN[metric] ?? []))];
}

describe('the dashboard and the alerts', () => {
  it('use only metrics and labels that a complete collector has', async () => {
    const scrape = await scrapeWholeCollector();
    const { panels, annotations } = await readDashboard();
    const asked = [
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
      ...annotations.list.map(({ expr }) => ['annotation', expr] as const),
      ...(await readAlerts()).map(({ alert, expr }) => [alert, expr] as const),
    ];
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.flatMap(([what, expr]) => missing(expr, scrape).map((one) => `${what}: ${one}`))).toEqual([]);
  });

  it('find every metric of the catalogue in a scrape, with or without samples', async () => {
    const { types } = await scrapeWholeCollector();
    const counters: readonly string[] = metricNames('counter');
    const names = Object.keys(METRICS).map((name) => (counters.includes(name) ? `${name}_total` : name));
    expect([...types.keys()].sort()).toEqual(names.sort());
  });
});

describe('missing metrics and labels', () => {
  const scrape = parseScrape('# TYPE a_total counter\na_total{outcome="stored"} 1\n# TYPE b gauge\n');
  it.each([
    ['rate(a_total{outcome="stored"}[5m])', []],
    ['rate(a{outcome="stored"}[5m])', ['no metric a']],
    ['rate(a_total{outcome!="storde"}[5m])', ['no outcome storde of a_total']],
    ['a_total{result="stored"}', ['no label result of a_total', 'no result stored of a_total']],
    ['sum by (receiver) (a_total)', ['nothing has the label receiver']],
    ['b', []],
  ])('of %s are %j', (expr, found) => {
    expect(missing(expr, scrape)).toEqual(found);
  });
});

describe('the dashboard', () => {
  it('has panels with a title, a position of their own and at least one query', async () => {
    const { panels } = await readDashboard();
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size).toBe(panels.length);
    expect(panels.filter(({ title, targets }) => title === '' || targets.length === 0)).toEqual([]);
  });
});

describe('the alerts', () => {
  it('have a name of their own, a severity and sentences', async () => {
    const rules = await readAlerts();
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, for: duration = '1m', labels, annotations } of rules) {
      expect(alert).toMatch(/^Faultline[A-Z][A-Za-z]+$/);
      expect(duration).toMatch(/^\d+m$/);
      expect(['warning', 'critical']).toContain(labels['severity']);
      expect(Object.keys(annotations).sort()).toEqual(['description', 'summary']);
    }
  });
});

describe('the parser of expressions', () => {
  it.each(['sum(rate(a[5m])', 'sum(a))', 'a{b=c}', 'a{b="c"', 'sum by (b) (a) §', 'a{="c"}'])('refuses %s', (expr) => {
    expect(() => readPromql(expr)).toThrow();
  });

  it('finds metrics, labels and functions', () => {
    expect(readPromql('sum by (a, le) (rate(m_total{a="x, b", c!~"y"}[5m])) / n > 0.5')).toEqual({
      selectors: [
        { metric: 'm_total', labels: ['a', 'c'], values: [{ label: 'a', value: 'x, b' }] },
        { metric: 'n', labels: [], values: [] },
      ],
      functions: ['sum', 'rate'],
      grouping: ['a', 'le'],
    });
  });
});
