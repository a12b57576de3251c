// Checks what users may do, behind a dynamic proxy.
// case allow role: read ada acme delete | read bob-2 globex publish | plain cy initech publish | plain dee acme purge
// case allow suspended: read ada hooli read | read eve hooli delete | plain fay hooli read | plain gus hooli read
// case session expired: login ada 1699999999 - | login ops@acme.test 1500000000 - | refresh bob 1600000001 - | refresh cy 12 -
// case session token: login ada x91-7 - | login bob 16999z - | refresh cy token7 - | refresh dee nil -
package com.acme.tenants;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

interface Access {
  void allow(String user, String tenant, String action);

  long session(String user, String token) throws SessionException;
}

class AccessDeniedException extends SecurityException {
  AccessDeniedException(String message) {
    super(message);
  }

  static AccessDeniedException forUser(String user, String action, String tenant) {
    return new AccessDeniedException(user + " may not " + action + " in " + tenant);
  }
}

class SessionException extends Exception {
  SessionException(String message, Exception cause) {
    super(message, cause);
  }
}

class Rules implements Access {
  public void allow(String user, String tenant, String action) {
    if (tenant.equals("hooli")) throw new AccessDeniedException(tenant + " is suspended, " + user + " has to wait");
    if (!action.equals("read")) throw AccessDeniedException.forUser(user, action, tenant);
  }

  public long session(String user, String token) throws SessionException {
    try {
      long issued = Long.parseLong(token);
      if (issued < 1_700_000_000L) throw new SessionException("session of " + user + " expired at " + issued, null);
      return issued;
    } catch (NumberFormatException e) {
      throw new SessionException("malformed token of " + user, e);
    }
  }
}

public class Tenants {
  static Access audited(Access access) {
    return (Access) Proxy.newProxyInstance(Access.class.getClassLoader(), new Class<?>[] {Access.class},
        (proxy, method, values) -> {
          try {
            return method.invoke(access, values);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "read" -> audited(new Rules()).allow(args[1], args[2], args[3]);
      case "plain" -> new Rules().allow(args[1], args[2], args[3]);
      case "login" -> new Rules().session(args[1], args[2]);
      default -> audited(new Rules()).session(args[1], args[2]);
    }
  }
}
