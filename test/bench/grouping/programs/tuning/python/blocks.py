# Parses nested configuration blocks: name{key=value;inner{...}}.
# case value number: check a{port=80x;} | check a{b{size=large;}} | lint x{y{z{port=;}}} | lint web{retries=three;}
# case value duplicate: check a{port=1;port=2;} | check web{size=4;size=4;} | lint a{b{c{retries=1;retries=9;}}} | lint q{port=0;port=80;}
# case block unclosed: check a{port=1; | check srv{b{port=2;} | lint a{b{c{ | lint web{size=3;b{
# case block name: check {port=1;} | check a{9lives{}} | lint a{b{-{}}} | lint web{port=2;8080{}}
import re
import sys

NUMBERS = ("port", "size", "retries")


class ConfigError(ValueError):
    def __init__(self, message, line, column):
        super().__init__(f"line {line}, column {column}: {message}")
        self.position = (line, column)


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def fail(self, message):
        raise ConfigError(message, 1, self.at)

    def word(self, pattern):
        found = re.compile(pattern).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found.group() if found else ""

    def value(self, known):
        key = self.word(r"\w+(?==)")
        self.at += 1
        written = self.word(r"[^;]*")
        if key in known:
            self.fail(f"'{key}' was already set to {known[key]}")
        if key in NUMBERS and not written.isdigit():
            self.fail(f"expected a number for '{key}', found {written!r}")
        known[key] = written
        self.at += 1

    def block(self):
        name = self.word(r"[^{;=}]*")
        if not re.fullmatch(r"[a-z]\w*", name):
            self.fail(f"bad block name {name!r}")
        self.at += 1
        known = {}
        while self.at < len(self.text) and self.text[self.at] != "}":
            if re.compile(r"\w+=").match(self.text, self.at):
                self.value(known)
            else:
                known[name] = self.block()
        if self.at >= len(self.text):
            raise ConfigError(f"block {name} is never closed", 1, len(self.text))
        self.at += 1
        return known


def lint(text):
    return sorted(Parser(text).block())


if sys.argv[1] == "lint":
    print(lint(sys.argv[2]))
else:
    print(Parser(sys.argv[2]).block())
