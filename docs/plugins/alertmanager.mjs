// A receiver for the webhook of Prometheus Alertmanager: each firing alert becomes an event, again with each notification that repeats it.
import express from 'express';

const EXPECTED = 'send the webhook of Alertmanager: JSON with a list "alerts", each with "labels"';
const isObject = (value) => typeof value === 'object' && value !== null;

/** Returns the payload of an alert. Values that are not text end in the dead letters. */
export function payloadOf({ labels, annotations, startsAt, generatorURL }, { app, env }) {
  const { alertname: name = 'Alert', severity = 'error', service, job, environment = env, route = '' } = labels;
  const names = { app, service: service ?? job ?? 'alertmanager', env: environment, error_name: name, route };
  const message = annotations?.summary ?? annotations?.description ?? name;
  const extra = { annotations: annotations ?? {}, generator_url: generatorURL ?? null };
  return { ...names, message, level: severity, timestamp: startsAt ?? null, tags: labels, extra };
}

/** @type {import('faultline/plugin').Plugin['receivers']} */
export const receivers = {
  alertmanager: {
    description: 'Receives alerts of Prometheus Alertmanager.',
    stability: 'alpha',
    schema: {
      type: 'object',
      required: ['authenticator'],
      properties: {
        endpoint: { type: 'string', format: 'host-port', default: 'localhost:4318', description: 'Address.' },
        authenticator: { type: 'string', description: 'Extension that checks the token, `bearertokenauth`.' },
        app: { type: 'string', default: 'alerts', description: '`app` of the events.' },
        env: { type: 'string', default: 'production', description: '`env` of alerts without `environment`.' },
      },
    },
    create({ endpoint, authenticator, ...names }, { allow, consumer }) {
      const router = express.Router({ caseSensitive: true, strict: true });
      const access = allow({ kind: 'token', authenticator });
      router.post('/alertmanager', ...access, express.json({ limit: '1mb' }), async ({ body }, response) => {
        const alerts = body?.alerts;
        const isExpected = Array.isArray(alerts) && alerts.every((alert) => isObject(alert) && isObject(alert.labels));
        if (!isExpected) return response.status(400).json({ error: EXPECTED });
        const firing = alerts.filter(({ status }) => status !== 'resolved');
        const outcomes = await consumer.consume({
          events: firing.map((alert) => ({ payload: payloadOf(alert, names) })),
        });
        const refused = outcomes.find(({ kind }) => kind === 'refused');
        if (refused?.retryable) response.set('retry-after', '5');
        if (refused !== undefined) {
          return response.status(refused.retryable ? 503 : 422).json({ error: `not stored: ${refused.reason}` });
        }
        response.json({ received: alerts.length, stored: outcomes.filter(({ kind }) => kind === 'stored').length });
      });
      // What `express.json` refuses; all else is for the collector.
      router.use((error, _request, response, next) => {
        if (!error.expose) return next(error);
        response.status(error.status).json({ error: error.type === 'entity.parse.failed' ? EXPECTED : error.message });
      });
      return { urls: [`http://${endpoint}/alertmanager`], routes: [{ endpoint, router }] };
    },
  },
};
