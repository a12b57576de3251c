import { isPublicAddress, publicLookup } from '../../../../collector/exporters/webhook/public-address.js';

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '100.128.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::1',
  ])('%s may be called', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.0.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '2001:db8::1',
    '2001::1',
    '100::1',
    '4000::1',
    '',
    'localhost',
    '1.1.1',
    '1.1.1.1.1',
  ])('%s may not be called', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a name', () => {
  const found = (...addresses: string[]) =>
    new Promise((resolve) => {
      const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      publicLookup((_, done) => done(null, all))('hooks.example.com', { all: true }, (error, response) => {
        resolve(error === null ? response : error);
      });
    });

  it('resolves to an address that may be called', async () => {
    expect(await found('1.1.1.1', '2606:4700::1111')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('is refused if any of its addresses may not be called', async () => {
    expect(await found('1.1.1.1', '::ffff:169.254.169.254')).toMatchObject({
      code: 'ADDRESS_REFUSED',
      message: expect.stringContaining('hooks.example.com leads to ::ffff:169.254.169.254, not a public address'),
    });
    expect(await found()).toMatchObject({ code: 'ADDRESS_REFUSED' });
  });
});
