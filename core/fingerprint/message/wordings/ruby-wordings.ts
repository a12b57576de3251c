import type { EngineWording } from './engine-wordings.js';

/** Up to the receiver: what is missing, in the quotes of Ruby 3.4 and of older versions. */
const START = "^undefined ((?:local variable or )?method [`'][^`']{1,200}') for ";
const CLASS = '([A-Z]\\w{0,100}(?:::[A-Z]\\w{0,100}){0,8})';

/** A missing method: Ruby 3.4 names the kind of the receiver, older versions print it. */
export const RUBY_WORDINGS: readonly EngineWording[] = [
  {
    becomes: 'undefined $name for nil',
    wordings: [new RegExp(`${START}nil(?::NilClass)?$`)],
    examples: ["undefined method `price' for nil:NilClass", "undefined method 'price' for nil"],
  },
  {
    becomes: 'undefined $name for class $other',
    wordings: [new RegExp(`${START}${CLASS}:(?:Class|Module)$`), new RegExp(`${START}(?:class|module) ${CLASS}$`)],
    examples: ["undefined method `price' for Shop::Cart:Class", "undefined method 'price' for class Shop::Cart"],
  },
  {
    becomes: 'undefined $name for an instance of $other',
    wordings: [
      new RegExp(`${START}an instance of ${CLASS}$`),
      new RegExp(`${START}#<${CLASS}(?::0x[0-9a-f]{4,16})?(?:[ :].{0,2000})?>$`),
      new RegExp(`${START}["\\d{[:].{0,2000}:${CLASS}$`),
    ],
    examples: [
      "undefined method 'price' for an instance of Cart",
      "undefined method `price' for #<Cart:0x000055d0a1b2c3d4>",
      "undefined method `price' for #<Cart:0x00007f0011223344 @id=1>",
      "undefined method `price' for #<Cart id: 1>",
      `undefined method \`price' for "lamp":Cart`,
    ],
  },
];
