// Parses nested configuration blocks: name{key=value;inner{...}}.
// case value number: check a{port=80x;} | check a{b{size=large;}} | lint x{y{z{port=n/a;}}} | lint web{retries=three;}
// case value duplicate: check a{port=1;port=2;} | check web{size=4;size=4;} | lint a{b{c{retries=1;retries=9;}}} | lint q{port=0;port=80;}
// case block unclosed: check a{port=1; | check srv{b{port=2;} | lint a{b{c{ | lint web{size=3;b{
// case block name: check {port=1;} | check a{9lives{}} | lint a{b{-{}}} | lint web{port=2;8080{}}
package com.acme.config;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class ParseException extends RuntimeException {
  final int offset;

  ParseException(int offset, String message) {
    super(message + " (at offset " + offset + ")");
    this.offset = offset;
  }
}

public class Blocks {
  private final String text;
  private int at;

  Blocks(String text) {
    this.text = text;
  }

  private ParseException error(String format, Object... values) {
    return new ParseException(at, String.format(format, values));
  }

  private String word(String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text).region(at, text.length());
    if (!found.lookingAt()) return "";
    at = found.end();
    return found.group();
  }

  private void value(String key, Map<String, String> known) {
    at++;
    String written = word("[^;]*");
    if (known.containsKey(key)) throw error("'%s' was already set to %s", key, known.get(key));
    if (!written.matches("\\d+")) throw error("expected a number for \"%s\", found %s", key, written);
    known.put(key, written);
    at++;
  }

  int block() {
    String name = word("[^{;=}]*");
    if (!name.matches("[a-z]\\w*")) throw error("bad block name '%s'", name);
    at++;
    Map<String, String> known = new HashMap<>();
    while (at < text.length() && text.charAt(at) != '}') {
      String key = word("\\w+(?==)");
      if (key.isEmpty()) block();
      else value(key, known);
    }
    if (at++ >= text.length()) throw new ParseException(text.length(), "block " + name + " is never closed");
    return at;
  }

  public static void main(String[] args) {
    Blocks blocks = new Blocks(args[1]);
    if (args[0].equals("check")) blocks.block();
    else CompletableFuture.supplyAsync(blocks::block).join();
  }
}
