// Moves orders through their states; checks are helpers that throw.
// case move transition: move 17 NEW DELIVERED | move 9001 PACKED NEW | bulk 12 SHIPPED PACKED | bulk 44 DELIVERED NEW
// case move locked: move 13 NEW PACKED | move 1313 PACKED SHIPPED | bulk 813 NEW PACKED | bulk 130013 NEW PACKED
// case address country: label 5 Berlin ZZ | label 712 RueDeLyon QQ | reprint 9 Main-St.4 XK | reprint 3 Oslo AA
// case address street: label 5 - DE | label 88 - FR | reprint 12 - NO | reprint 4 - DE
package com.acme.orders;

import java.util.List;

enum State {
  NEW, PACKED, SHIPPED, DELIVERED;

  boolean leadsTo(State other) {
    return other.ordinal() == ordinal() + 1;
  }
}

class OrderException extends RuntimeException {
  OrderException(long order, String message) {
    super("[order " + order + "] " + message);
  }
}

final class Checks {
  private Checks() {}

  static void require(boolean holds, long order, String format, Object... values) {
    if (!holds) throw new OrderException(order, String.format(format, values));
  }
}

public class Orders {
  private final long order;

  Orders(long order) {
    this.order = order;
  }

  State move(State from, State to) {
    Checks.require(order % 100 != 13, order, "locked by the audit");
    Checks.require(from.leadsTo(to), order, "cannot go from %s to %s", from, to);
    return to;
  }

  String address(String street, String country) {
    Checks.require(street.length() > 1, order, "there is no street");
    Checks.require(List.of("DE", "FR", "NO").contains(country), order, "we do not ship to %s", country);
    return street + country;
  }

  static void reprint(int count, long order, String street, String country) {
    if (count > 1) reprint(count - 1, order, street, country);
    new Orders(order).address(street, country);
  }

  public static void main(String[] args) {
    long number = Long.parseLong(args[1]);
    switch (args[0]) {
      case "move" -> new Orders(number).move(State.valueOf(args[2]), State.valueOf(args[3]));
      case "bulk" -> List.of(number, number + 1)
          .forEach(one -> new Orders(one).move(State.valueOf(args[2]), State.valueOf(args[3])));
      case "label" -> new Orders(number).address(args[2], args[3]);
      default -> reprint((int) (number % 4) + 2, number, args[2], args[3]);
    }
  }
}
