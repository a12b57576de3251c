import { printsClass } from '../../../core/event/class-name.js';

describe('the classes that a stack prints', () => {
  it.each([
    ['the main exception', 'com.acme.StockError: none\n\tat a.B.c(B.java:1)', true],
    ['a cause of the JVM', 'X: y\n\tat a.B.c(B.java:1)\nCaused by: com.acme.StockError: none\n', true],
    ['a cause without message', 'X: y\n\tat a.B.c(B.java:1)\r\nCaused by: com.acme.StockError\r\n', true],
    ['a cause of Node.js', 'X: y\n    at f (a.js:1:1) {\n  [cause]: StockError: none\n', true],
    ['a cause of .NET', 'Acme.X: y ---> Acme.StockError: none\n   at A.B()', true],
    ['an inner exception of .NET 5', 'Acme.X: y\n ---> Acme.StockError: none\n   at A.B()', true],
    ['an exception of PHP', 'Acme\\X: y in /a.php:3\nNext Acme\\StockError: none in /a.php:4', true],
    [
      'an exception of Python',
      'Traceback (most recent call last):\n  File "a.py", line 1\nshop.StockError: none\n',
      true,
    ],
    ['a namespace of C++', 'shop::StockError: none', true],
    ['a longer name', 'OutOfStockError: none\n\tat a.B.c(B.java:1)', false],
    ['another class of its name', 'StockErrors: none', false],
    ['a call', 'X: y\n\tat com.acme.StockError.create(StockError.java:1)', false],
    ['a member', 'StockError::create: none', false],
    ['a word of a message', 'X: got StockError: none\n\tat a.B.c(B.java:1)', false],
    ['nothing', '', false],
  ])('are known: %s', (_, stack, isPrinted) => {
    expect(printsClass(stack, 'StockError')).toBe(isPrinted);
  });

  it('are found in time in a text of nothing but the name', () => {
    expect(printsClass('StockError.'.repeat(200_000), 'StockError')).toBe(false);
  });
});
