package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"os"
)

var errClosed = errors.New("the shop is closed")

func readPrices(path string) error {
	if _, err := os.ReadFile(path); err != nil {
		return fmt.Errorf("read prices: %w", err)
	}
	return nil
}

func main() {
	err := readPrices("/nonexistent/prices.csv")
	switch os.Args[1] {
	case "fatal-log":
		log.Fatalf("start: %v", errClosed)
	case "printed-error":
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	case "slog":
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("prices are not loaded", "err", err, "missing", errors.Is(err, fs.ErrNotExist))
		os.Exit(3)
	}
}
