// Sends a failure without an SDK, as a beacon.
const endpoint = new URL(location.href).searchParams.get('endpoint');

window.report = async () => {
  const event = {
    app: 'shop',
    service: 'page',
    env: 'test-page',
    error_name: 'BeaconError',
    message: 'sent by a beacon',
    route: location.pathname,
  };
  return navigator.sendBeacon(`${endpoint}/v1/events`, JSON.stringify(event));
};
