// Throws an error with the Sentry browser SDK; the URL of the page has the DSN.
import * as Sentry from '@sentry/browser';

const { searchParams } = new URL(location.href);

Sentry.init({ dsn: searchParams.get('dsn'), release: 'page@1.2.3', environment: 'test-page' });
Sentry.setUser({ id: 'u-17' });
Sentry.setTag('tier', 'gold');

function addToCart(quantity) {
  const limit = undefined;
  return quantity > limit.max;
}

window.report = async () => {
  Sentry.captureMessage('the page says hello');
  setTimeout(() => addToCart(3), 0);
  await new Promise((resolve) => window.addEventListener('error', () => resolve(), { once: true }));
  return await Sentry.flush(5_000);
};
