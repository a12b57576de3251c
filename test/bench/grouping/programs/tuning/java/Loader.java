// Loads rows of a price list; fails with the exceptions of the platform.
// case convert number: load 1;tea;4,50 | load 7;cup;n/a | replay 12;pot;EUR-3 | replay 8;jug;?
// case convert columns: load 1;tea | load 99 | replay 4;cup | replay 7
// case lookup supplier: find acme-7 tea | find Ostwind cup | report norte_2 pot | report x91 tea
// case lookup article: find north lamp | find south BX-200 | report north sofa | report south chair-9
package com.acme.etl;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

public class Loader {
  record Row(int number, String name, double price) {}

  private final Map<String, Map<String, Double>> suppliers = Map.of("north", Map.of("tea", 3.0), "south", Map.of());

  Row convert(String line) {
    String[] fields = line.split(";");
    String price = fields[2];
    return new Row(Integer.parseInt(fields[0]), fields[1], Double.parseDouble(price));
  }

  double lookup(String supplier, String article) {
    Map<String, Double> prices = suppliers.get(supplier);
    return Optional.ofNullable(prices.get(article))
        .orElseThrow(() -> new NoSuchElementException(supplier + " does not sell " + article));
  }

  double report(List<String> articles, String supplier) {
    return articles.stream().mapToDouble(article -> lookup(supplier, article)).sum();
  }

  Row replay(String line, int times) {
    if (times > 0) return replay(line, times - 1);
    return convert(line);
  }

  public static void main(String[] args) {
    Loader loader = new Loader();
    switch (args[0]) {
      case "load" -> System.out.println(loader.convert(args[1]));
      case "replay" -> System.out.println(loader.replay(args[1], args[1].length() % 5));
      case "find" -> System.out.println(loader.lookup(args[1], args[2]));
      default -> System.out.println(loader.report(List.of(args[2]), args[1]));
    }
  }
}
