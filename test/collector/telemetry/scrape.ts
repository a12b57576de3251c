/** A sample of an exposition. */
export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A parsed exposition. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ScrapedSample[];
}

const TYPE = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)$/;
const HELP = /^# HELP ([a-z_:][a-z0-9_:]*) [^\n]+$/;
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/** Parses an exposition (Prometheus text 0.0.4, or OpenMetrics if it ends with `# EOF`); throws on an invalid line. */
export function parseScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const samples: ScrapedSample[] = [];
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '' || line === '# EOF' || HELP.test(line)) continue;
    const [, named, type] = TYPE.exec(line) ?? [];
    if (named !== undefined && type !== undefined) {
      if (types.has(named)) throw new Error(`two types of ${named}`);
      types.set(named, type);
      continue;
    }
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no line of an exposition: ${line}`);
    if (Number.isNaN(Number(value.replace('+Inf', 'Infinity')))) throw new Error(`no number: ${line}`);
    samples.push({ name, labels: parseLabels(labels), value: Number(value.replace('+Inf', 'Infinity')) });
  }
  return { types, samples };
}

/** Returns the value of the sample with this name and at least these labels; undefined without one, throws if there are several. */
export function sampleValue(
  { samples }: Scrape,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
  return found[0]?.value;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole, name, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined) throw new Error(`no labels: ${rest}`);
    if (Object.hasOwn(labels, name)) throw new Error(`the label ${name} twice: ${text}`);
    labels[name] = value.replace(/\\(["\\n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(whole.length);
  }
  return labels;
}
