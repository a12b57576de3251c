// Copies files to a backup and verifies them; closing a resource may fail too.
// case copy missing: save /nonexistent/db-7.sqlite x | save /nonexistent/a/notes.txt x | tree /nonexistent/shop 2 | tree /nonexistent/var/mail-2024 3
// case copy folder: save /tmp x | save /usr/bin x | tree /etc 1 | tree /var 4
// case verify digest: check hello 9f86d0 | check order-17 00aa | nightly stock ffee12 | nightly a1 beef
// case verify empty: check - 9f86d0 | check - 11 | nightly - e3b0 | nightly - 77aa
package com.acme.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class BackupFailed extends Exception {
  BackupFailed(String message) {
    super(message);
  }

  static BackupFailed wrap(Path path, IOException cause) {
    BackupFailed failed = new BackupFailed("cannot back up " + path);
    failed.initCause(cause);
    return failed;
  }
}

class Target implements AutoCloseable {
  private final String name;

  Target(String name) {
    this.name = name;
  }

  void verify(String content, String digest) throws BackupFailed {
    if (content.equals("-")) throw new BackupFailed("backup '" + name + "' is empty");
    String found = Integer.toHexString(content.hashCode());
    if (!found.equals(digest))
      throw new BackupFailed("backup '" + name + "': expected digest " + digest + ", found " + found);
  }

  @Override
  public void close() {
    if (name.startsWith("mon")) throw new IllegalStateException("lock of " + name + " was lost");
  }
}

public class Backup {
  static byte[] copy(Path path) throws BackupFailed {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw BackupFailed.wrap(path, e);
    }
  }

  static byte[] tree(Path path, int depth) throws BackupFailed {
    return depth == 0 ? copy(path) : tree(path, depth - 1);
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "save" -> copy(Path.of(args[1]));
      case "tree" -> tree(Path.of(args[1]), Integer.parseInt(args[2]));
      case "check" -> new Target("daily-" + args[2]).verify(args[1], args[2]);
      default -> {
        try (Target target = new Target("mon-" + args[2])) {
          target.verify(args[1], args[2]);
        }
      }
    }
  }
}
