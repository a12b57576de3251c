// A receiver for syslog over UDP (RFC 5424 and 3164). Messages of the severities 0 to 3 become events.
import { createSocket } from 'node:dgram';

const LEVELS = ['fatal', 'fatal', 'fatal', 'error'];
const MAX_WAITING = 500;
/** `<PRI>1 TIME HOST APP PROCID MSGID DATA MESSAGE`, and `<PRI>Mmm dd hh:mm:ss HOST APP[PID]: MESSAGE`. */
const RFC_5424 = /^<(\d{1,3})>1 (\S{1,64}) (\S{1,255}) (\S{1,48}) \S{1,128} \S{1,32} (?:-|\[[^\]]{0,4096}\]) ?/;
const RFC_3164 = /^<(\d{1,3})>(?:\w{3} [ \d]\d [\d:]{8} (\S{1,255}) )?(?:([\w./-]{1,48})(?:\[\d{1,10}\])?: )?/;

/** Returns a payload; undefined for a lower severity. The receipt dates RFC 3164, whose times have no year and no zone. */
export function parseSyslog(text, names) {
  const modern = RFC_5424.exec(text);
  const [head = '', priority = '3', host, program] = modern ? modern.toSpliced(2, 1) : (RFC_3164.exec(text) ?? []);
  const level = LEVELS[Number(priority) % 8];
  if (level === undefined) return undefined;
  const message = text.slice(head.length).trim();
  const [tags, service] = [{ host: host ?? '-' }, program ?? 'syslog'];
  return { ...names, service, level, error_name: 'syslog', message, route: '', tags, timestamp: modern?.[2] ?? null };
}

/** @type {import('faultline/plugin').Plugin['receivers']} */
export const receivers = {
  syslog: {
    description: 'Receives syslog messages over UDP.',
    stability: 'alpha',
    schema: {
      type: 'object',
      properties: {
        endpoint: { type: 'string', format: 'host-port', default: 'localhost:5514', description: 'Address.' },
        app: { type: 'string', default: 'syslog', description: '`app` of the events.' },
        env: { type: 'string', default: 'production', description: '`env` of the events.' },
      },
    },
    create({ endpoint, app, env }, { consumer, logger, metrics }) {
      const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(endpoint);
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      const [urls, waiting] = [[], []];
      let sending = Promise.resolve();
      const sendAll = async () => {
        for (const { kind } of await consumer.consume({ events: waiting.splice(0) })) metrics.count(kind);
      };
      socket.on('error', ({ code }) => logger.error({ code }, 'the socket failed'));
      socket.on('message', (datagram) => {
        const payload = parseSyslog(datagram.toString('utf8'), { app, env });
        if (payload === undefined) return;
        if (waiting.length >= MAX_WAITING) metrics.count('overflow');
        else if (waiting.push({ payload }) === 1) sending = sending.then(sendAll);
      });
      return {
        urls,
        async start() {
          await new Promise((resolve, reject) => socket.once('error', reject).bind(Number(port), host, resolve));
          urls.push(`udp://${host}:${socket.address().port}`);
        },
        shutdown: () => new Promise((resolve) => socket.close(resolve)).then(() => sending),
      };
    },
  },
};
