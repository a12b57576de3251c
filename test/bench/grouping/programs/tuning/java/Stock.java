// Reserves articles in warehouses.
// case reserve unknown: order tea-17 2 | order kettle-9 1 | restock tea-0911 5 | order XR_200 4
// case reserve short: order teapot 9 | order cup 40 | restock saucer 12 | order teapot 33
// case locate closed: ship berlin 2 | ship Lyon-2 1 | audit berlin 3 | audit Lyon-2 5
// case locate full: ship porto 10 | ship oslo 8 | audit porto 44 | audit oslo 9
package com.acme.stock;

import java.util.Map;
import java.util.stream.IntStream;

class StockException extends RuntimeException {
  StockException(String message) {
    super(message);
  }

  static StockException tooFew(String article, int wanted, int left) {
    return new StockException("only " + left + " of " + article + " left, " + wanted + " wanted");
  }
}

class WarehouseException extends IllegalStateException {
  WarehouseException(String warehouse, String reason) {
    super(String.format("warehouse %s is %s", warehouse, reason));
  }
}

public class Stock {
  private final Map<String, Integer> left = Map.of("teapot", 8, "cup", 31, "saucer", 0);

  int reserve(String article, int count) {
    Integer found = left.get(article);
    if (found == null) throw new StockException("no article '" + article + "' in the catalogue");
    if (found < count) throw StockException.tooFew(article, count, found);
    return found - count;
  }

  String locate(String warehouse, int shelf) {
    if (!warehouse.equals(warehouse.toLowerCase()) || warehouse.startsWith("b"))
      throw new WarehouseException(warehouse, "closed for stocktaking");
    if (shelf > 7) throw new WarehouseException(warehouse, "full, shelf " + shelf + " does not exist");
    return warehouse + shelf;
  }

  String audit(String warehouse, int shelf, int depth) {
    return depth == 0 ? locate(warehouse, shelf) : audit(warehouse, shelf, depth - 1);
  }

  public static void main(String[] args) {
    Stock stock = new Stock();
    int number = Integer.parseInt(args[2]);
    switch (args[0]) {
      case "order" -> stock.reserve(args[1], number);
      case "restock" -> IntStream.of(0, number).forEach(count -> stock.reserve(args[1], count));
      case "ship" -> stock.locate(args[1], number);
      default -> stock.audit(args[1], number, number % 4);
    }
  }
}
