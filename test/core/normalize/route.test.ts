import { routeOfAddress, splitTransaction } from '../../../core/normalize/route.js';

describe('the route of an address', () => {
  it.each([
    ['http://localhost:3000/orders/42?page=2#top', '/orders/:id'],
    ['/orders/42/lines/7', '/orders/:id/lines/:id'],
    ['/users/0190e5a0-7c1b-7d52-9a39-5f2f7c6f0a11/avatar', '/users/:id/avatar'],
    ['/commits/9f4ef63a', '/commits/:id'],
    ['/customers/cus_9s6XKzkNRiz8i3', '/customers/:id'],
    ['/files/V1StGXR8_Z5jdHi6B-myT', '/files/:id'],
    ['/days/2026-11-21', '/days/:id'],
    ['/people/ann@example.com', '/people/:id'],
    ['/people/ann%40shop.example.com', '/people/:id'],
    ['/people/user-0190e5a0-7c1b-7d52-9a39-5f2f7c6f0a11.json', '/people/:id'],
    ['/orders/ORD-204/lines', '/orders/:id/lines'],
    ['/orders/order-20391', '/orders/:id'],
    ['/blobs/sha256:9f4ef63a5d21c0be', '/blobs/:id'],
    ['/hosts/10.1.2.3', '/hosts/:id'],
    ['/near/52.52,13.40', '/near/:id'],
    ['/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln', '/verify/:id'],
    ['/cart;jsessionid=8A7F6E5D/lines;page=2', '/cart/lines'],
    ['/news/covid-19', '/news/covid-19'],
    ['/sale/summer-2026', '/sale/summer-2026'],
    ['/encode/UTF-8', '/encode/UTF-8'],
    ['/zh-Hans-CN/oauth2/h264', '/zh-Hans-CN/oauth2/h264'],
    ['/api/v2/orders', '/api/v2/orders'],
    ['/docs/1.0/getting-started', '/docs/1.0/getting-started'],
    ['/orders/:id/{line}', '/orders/:id/{line}'],
    ['/internationalization', '/internationalization'],
    ['https://shop.example', '/'],
    ['', '/'],
  ])('%s is %s', (address, route) => {
    expect(routeOfAddress(address)).toBe(route);
  });

  it('is parsed from a bounded part of it', () => {
    expect(routeOfAddress(`/a${'/1'.repeat(100_000)}`).length).toBeLessThan(10_000);
  });

  it('is parsed in linear time if a segment is nearly an address of mail', () => {
    const segment = `${'%40.'.repeat(500)}@`;
    const from = performance.now();
    for (let count = 0; count < 100; count++) expect(routeOfAddress(`/${segment}`)).toBe(`/${segment}`);
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});

describe('a transaction', () => {
  it.each([
    ['POST /orders/42', 'POST', '/orders/42'],
    ['get /a', 'GET', '/a'],
    ['DELETE', 'DELETE', ''],
    ['Getting started', undefined, 'Getting started'],
    ['shop.views.index', undefined, 'shop.views.index'],
  ])('%s has a separate verb', (transaction, verb, name) => {
    expect(splitTransaction(transaction)).toEqual({ verb, name });
  });
});
