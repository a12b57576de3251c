// Converts money; a hierarchy of errors with codes.
// case rate unknown: convert EUR XAU 12 | convert USD zloty 3 | total EUR btc 4 | total CHF Lira 9
// case rate stale: convert EUR ARS 7 | convert USD ARS 80 | total CHF TRY 6 | total EUR TRY 88
// case share zero: split 10 EUR 0 | split 99.95 USD 0 | settle 7 EUR 0 | settle 0.5 CHF 0
// case share precision: split 10 EUR 3 | split 1 USD 9 | settle 5 EUR 7 | settle 3 CHF 11
package com.acme.money;

import java.math.BigDecimal;
import java.util.Map;

abstract class MoneyException extends RuntimeException {
  MoneyException(Code code, Object... values) {
    super(code + ": " + String.format(code.text, values));
  }

  enum Code {
    UNKNOWN_CURRENCY("no rate from %s to %s"),
    STALE_RATE("rate %s/%s is of %s"),
    NOBODY("nobody to share %s %s with"),
    REST("%s %s cannot be shared by %d");

    final String text;

    Code(String text) {
      this.text = text;
    }
  }
}

class RateException extends MoneyException {
  RateException(Code code, Object... values) {
    super(code, values);
  }
}

class ShareException extends MoneyException {
  ShareException(Code code, Object... values) {
    super(code, values);
  }
}

public class Exchange {
  static final Map<String, String> STALE = Map.of("ARS", "2021-04-01", "TRY", "2022-11-30");
  static final Map<String, Double> RATES = Map.of("EUR", 1.0, "USD", 1.1);

  static double rate(String from, String to) {
    if (STALE.containsKey(to))
      throw new RateException(MoneyException.Code.STALE_RATE, from, to, STALE.get(to));
    if (!RATES.containsKey(to)) throw new RateException(MoneyException.Code.UNKNOWN_CURRENCY, from, to);
    return RATES.get(to);
  }

  static BigDecimal share(BigDecimal amount, String currency, int people) {
    if (people == 0) throw new ShareException(MoneyException.Code.NOBODY, amount, currency);
    BigDecimal[] parts = amount.divideAndRemainder(BigDecimal.valueOf(people));
    if (parts[1].signum() != 0) throw new ShareException(MoneyException.Code.REST, amount, currency, people);
    return parts[0];
  }

  static class Settlement {
    BigDecimal run(BigDecimal amount, String currency, int people, int depth) {
      return depth == 0 ? share(amount, currency, people) : run(amount, currency, people, depth - 1);
    }
  }

  public static void main(String[] args) {
    switch (args[0]) {
      case "convert" -> System.out.println(rate(args[1], args[2]));
      case "total" -> new java.util.TreeSet<>(java.util.Set.of(1)).forEach(one -> rate(args[1], args[2]));
      case "split" -> share(new BigDecimal(args[1]), args[2], Integer.parseInt(args[3]));
      default -> new Settlement().run(new BigDecimal(args[1]), args[2], Integer.parseInt(args[3]), 3);
    }
  }
}
