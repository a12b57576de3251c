// Copies files to a backup and verifies them; several errors are joined.
// case copy missing: save /nonexistent/db-7.sqlite x | save /nonexistent/a/notes.txt x | tree /nonexistent/shop 2 | tree /nonexistent/var/mail-2024 3
// case copy folder: save /tmp x | save /usr/bin x | tree /etc 1 | tree /var 4
// case verify digest: check hello 9f86d0 | check order-17 00aa | nightly stock ffee12 | nightly a1 beef
// case verify empty: check - 9f86d0 | check - 11 | nightly - e3b0 | nightly - 77aa
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
)

type BackupError struct {
	Op, Path string
	Err      error
}

func (e *BackupError) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }
func (e *BackupError) Unwrap() error { return e.Err }

var ErrEmpty = errors.New("the backup is empty")

func copyFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return &BackupError{"copy", path, err}
	}
	if info.IsDir() {
		return &BackupError{"copy", path, errors.New("is a folder, not a file")}
	}
	return nil
}

func verify(name, content, digest string) error {
	if content == "-" {
		return fmt.Errorf("verify '%s': %w", name, ErrEmpty)
	}
	if found := fmt.Sprintf("%x", sha256.Sum256([]byte(content))); !strings.HasPrefix(found, digest) {
		return fmt.Errorf("verify '%s': expected digest %s, found %s", name, digest, found[:12])
	}
	return nil
}

func tree(path string, depth string) error {
	if err := copyFile(path); err != nil {
		return fmt.Errorf("tree at depth %s: %w", depth, err)
	}
	return nil
}

func nightly(content, digest string) error {
	return errors.Join(verify("mon-"+digest, content, digest))
}

func main() {
	log.SetPrefix("backup: ")
	first, second := os.Args[2], os.Args[3]
	var err error
	switch os.Args[1] {
	case "save":
		err = copyFile(first)
	case "tree":
		err = tree(first, second)
	case "check":
		err = verify("daily-"+second, first, second)
	case "nightly":
		err = nightly(first, second)
	}
	if err != nil {
		log.Fatalf("stopped: %v", err)
	}
}
