import {
  FOREIGN_FILES,
  FOREIGN_MODULES,
  isAppFile,
  isAppModule,
  LIBRARY_MODULES,
  standingOf,
} from '../../../../core/fingerprint/stack/in-app.js';

describe('library code', () => {
  it.each(FOREIGN_FILES.flatMap((row) => row.examples.map((path) => [path, row] as const)))('%s', (path, row) => {
    expect(row.pattern.test(path)).toBe(true);
    expect(isAppFile(path)).toBe(false);
  });

  it.each(FOREIGN_MODULES.flatMap((row) => row.examples.map((name) => [name, row] as const)))('%s', (name, row) => {
    expect(row.pattern.test(name)).toBe(true);
    expect(isAppModule(name)).toBe(false);
  });

  it.each(LIBRARY_MODULES.flatMap((row) => row.examples))('steps back unless a client marks it: %s', (name) => {
    expect(standingOf(name, false)).toEqual({ inApp: false, stepsBack: true });
    expect(standingOf(name, true)).toEqual({ inApp: true, stepsBack: false });
  });

  it.each([
    '/usr/src/app/src/cart.ts',
    '/app/src/vendor/model.ts',
    'src/vendor/models/supplier.ts',
    '/go/src/shop/cart.go',
    'shop/runtime/x.go',
    'main.go',
    '/home/anna/python/cart.py',
    'C:\\work\\shop\\cart.cs',
    'package:shop/src/cart.dart',
    'lib/shop/cart.ex',
    '/srv/depsy/lib/x.ex',
    '/app/library/shelf/src/lib.rs',
    './src/string/format.c',
    '/opt/shop/main.py',
    '/usr/local/app/cart.rb',
    '/app/lib/cart.rb',
    '/snap/shop/12/cart.py',
    '/usr/lib/shop/resources/app.asar/dist/main.js',
    '/usr/share/shop/html/cart.php',
    'C:\\Program Files\\Shop\\resources\\app.asar\\dist\\main.js',
    'C:\\Program Files (x86)\\Gift Shop\\cart.py',
    'https://shop.example/assets/cart@2x.js',
  ])('does not include %s', (path) => {
    expect(isAppFile(path)).toBe(true);
  });

  it.each([
    'com.acme.Cart',
    'shop::cart',
    'example.com/shop/net',
    'main',
    'Shop',
    'CoreShop',
    'libshop.so',
    'SystemCheck.Run',
    'testing_room::x',
  ])('does not include the module %s', (name) => {
    expect(isAppModule(name)).toBe(true);
  });
});
