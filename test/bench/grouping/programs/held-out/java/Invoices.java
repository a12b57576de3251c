// Bills customers; the gateway's errors become causes.
// case total currency: bill 17 EURO 3 | bill 981 Usd 4 | batch 5 yen 5 | batch 44 XXX 1
// case total negative: bill 17 EUR -5 | bill 90 USD -1 | batch 8123 USD -75 | batch 3 EUR -120
// case charge declined: collect 8812 card 4000 | collect 1 card 9125 | dunning 77 card 5000 | dunning 90 card 6100
// case charge gateway: collect 8 test 12 | collect 41 test 99 | dunning 113 test 7 | dunning 9 test 25
package com.acme.billing;

import java.io.IOException;
import java.util.List;
import java.util.Set;

class BillingException extends Exception {
  BillingException(int invoice, String message) {
    this(invoice, message, null);
  }

  BillingException(int invoice, String message, Throwable cause) {
    super("invoice " + invoice + ": " + message, cause);
  }
}

public class Invoices {
  static String total(int invoice, String currency, int value) throws BillingException {
    if (!Set.of("EUR", "USD", "CHF").contains(currency))
      throw new BillingException(invoice, "unknown currency " + currency);
    if (value < 0) throw new BillingException(invoice, "negative total of " + value + " " + currency);
    return value + " " + currency;
  }

  static boolean send(String account, int value) throws IOException {
    if (account.equals("test")) throw new IOException("pay-" + value % 4 + ".example.net:443 closed the connection");
    return value < 1000;
  }

  static void charge(int invoice, String account, int value) throws BillingException {
    try {
      if (!send(account, value)) throw new BillingException(invoice, "card was declined for " + value);
    } catch (IOException e) {
      throw new BillingException(invoice, "gateway failed", e);
    }
  }

  static void batch(List<Integer> invoices, String currency, int value) {
    invoices.forEach(invoice -> {
      try {
        total(invoice, currency, value);
      } catch (BillingException e) {
        throw new IllegalStateException("batch stopped after " + invoices.indexOf(invoice) + " invoices", e);
      }
    });
  }

  static void dunning(int invoice, String account, int value, int round) throws BillingException {
    if (round == 0) charge(invoice, account, value);
    else dunning(invoice, account, value + 2, round - 1);
  }

  public static void main(String[] args) throws Exception {
    int invoice = Integer.parseInt(args[1]);
    int value = Integer.parseInt(args[3]);
    switch (args[0]) {
      case "bill" -> System.out.println(total(invoice, args[2], value));
      case "batch" -> batch(List.of(invoice, invoice + 1), args[2], value);
      case "collect" -> charge(invoice, args[2], value);
      default -> dunning(invoice, args[2], value, invoice % 5);
    }
  }
}
