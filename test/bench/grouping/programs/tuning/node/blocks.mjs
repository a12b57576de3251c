// Parses nested configuration blocks: name{key=value;inner{...}}.
// case value number: check a{port=80x;} | check a{b{size=large;}} | lint x{y{z{port=n/a;}}} | lint web{retries=three;}
// case value duplicate: check a{port=1;port=2;} | check web{size=4;size=4;} | lint a{b{c{retries=1;retries=9;}}} | lint q{port=0;port=80;}
// case block unclosed: check a{port=1; | check srv{b{port=2;} | lint a{b{c{ | lint web{size=3;b{
// case block name: check {port=1;} | check a{9lives{}} | lint a{b{-{}}} | lint web{port=2;8080{}}

class ConfigError extends SyntaxError {
  constructor(message, offset) {
    super(`${message} at ${offset}`);
    this.offset = offset;
  }

  get name() {
    return 'ConfigError';
  }
}

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(message) {
    throw new ConfigError(message, this.at);
  }

  word(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  value(key, known) {
    this.at += 1;
    const written = this.word(/[^;]*/y);
    if (key in known) this.fail(`'${key}' was already set to ${known[key]}`);
    if (!/^\d+$/.test(written)) this.fail(`expected a number for "${key}", found ${written}`);
    known[key] = written;
    this.at += 1;
  }

  block() {
    const name = this.word(/[^{;=}]*/y);
    if (!/^[a-z]\w*$/.test(name)) this.fail(`bad block name '${name}'`);
    this.at += 1;
    const known = {};
    while (this.at < this.text.length && this.text[this.at] !== '}') {
      const key = this.word(/\w+(?==)/y);
      if (key === '') this.block();
      else this.value(key, known);
    }
    if (this.at >= this.text.length) throw new ConfigError(`block ${name} is never closed`, this.at);
    this.at += 1;
  }
}

const lint = (texts) => texts.map((text) => new Parser(text).block());

const [command, text] = process.argv.slice(2);
if (command === 'lint') lint([text]);
else new Parser(text).block();
