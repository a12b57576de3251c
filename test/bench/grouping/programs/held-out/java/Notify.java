// Sends notifications over several channels.
// case render field: mail welcome user=ada | mail reset name=bob | later receipt user=cy | later welcome x=1
// case render template: mail wellcome name=a | mail invoice-de name=b | later ad_7 name=c | later promo.2 name=d
// case deliver limit: send ada 200 | send bob 161 | fan cy 400 | fan eve 999
// case deliver blocked: send spam-7 10 | send spam.example 5 | fan spam1 3 | fan spam-eu 90
package com.acme.notify;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

class TemplateException extends IllegalArgumentException {
  TemplateException(String template, String problem) {
    super("template \"" + template + "\" " + problem);
  }
}

class DeliveryException extends Exception {
  DeliveryException(String to, String reason) {
    super("cannot deliver to <" + to + ">: " + reason);
  }
}

public class Notify {
  private static final Map<String, String> FIELDS = Map.of("welcome", "name", "reset", "link", "receipt", "total");

  private String render(String template, String pair) {
    String field = FIELDS.get(template);
    if (field == null) throw new TemplateException(template, "does not exist");
    if (!pair.startsWith(field + "=")) throw new TemplateException(template, "needs the field " + field);
    return template + pair;
  }

  private void deliver(String to, int length) throws DeliveryException {
    if (to.startsWith("spam")) throw new DeliveryException(to, "the address is blocked");
    if (length > 160) throw new DeliveryException(to, length + " characters are too long");
  }

  private class Channel implements Callable<Void> {
    private final String to;
    private final int length;

    Channel(String to, int length) {
      this.to = to;
      this.length = length;
    }

    @Override
    public Void call() throws DeliveryException {
      deliver(to, length);
      return null;
    }
  }

  private void fan(String to, int length) throws Exception {
    for (Channel channel : Stream.of(to).map(one -> new Channel(one, length)).toList()) channel.call();
  }

  public static void main(String[] args) throws Exception {
    Notify notify = new Notify();
    switch (args[0]) {
      case "mail" -> notify.render(args[1], args[2]);
      case "later" -> Stream.of(args[2]).map(pair -> notify.render(args[1], pair)).toList();
      case "send" -> notify.deliver(args[1], Integer.parseInt(args[2]));
      default -> notify.fan(args[1], Integer.parseInt(args[2]));
    }
  }
}
