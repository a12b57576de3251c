// A client of an HTTP service with retries; the transport is simulated.
// case request status: get /users/17 503 | get /v2/orders/ab12 502 | sync /items 500 | sync /users/9/tags 504
// case request body: get /health 200 | get /users/3 201 | sync /orders/8 200 | sync /items 203
// case connect refused: dial db-1.internal 5432 | dial cache 6379 | pool 10.0.0.7 8080 | pool web.example.org 443
// case connect port: dial db-1.internal 0 | dial cache 70001 | pool web.example.org 99999 | pool 10.0.0.7 123456
package com.acme.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.function.Supplier;

class ApiException extends RuntimeException {
  final int status;

  ApiException(String path, int status) {
    super("GET " + path + " returned " + status);
    this.status = status;
  }

  ApiException(String path, Throwable cause) {
    super("GET " + path + ": unreadable body", cause);
    this.status = 0;
  }
}

public class Gateway {
  static String read(int length) throws IOException {
    if (length > 0) throw new EOFException("the body ended after " + length + " bytes");
    return "{}";
  }

  static String request(String path, int status) {
    if (status >= 500) throw new ApiException(path, status);
    try {
      return read(path.length());
    } catch (IOException e) {
      throw new ApiException(path, e);
    }
  }

  static String connect(String host, int port) {
    if (port < 1 || port > 65535) throw new IllegalArgumentException("port out of range: " + host + ":" + port);
    ConnectException refused = new ConnectException("Connection refused: " + host + "/" + port);
    throw new UncheckedIOException("cannot connect", refused);
  }

  static <T> T retrying(int times, Supplier<T> action) {
    try {
      return action.get();
    } catch (ApiException e) {
      if (times == 0) throw e;
    }
    return retrying(times - 1, action);
  }

  public static void main(String[] args) throws Exception {
    int number = Integer.parseInt(args[2]);
    Thread pool = new Thread(() -> connect(args[1], number), "pool-" + number % 7);
    switch (args[0]) {
      case "get" -> request(args[1], number);
      case "sync" -> retrying(number % 3, () -> request(args[1], number));
      case "dial" -> connect(args[1], number);
      default -> pool.start();
    }
    pool.join();
    System.exit(3);
  }
}
