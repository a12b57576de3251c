// Sends invoices; errors are wrapped on their way up and end the program with a fatal log line.
// case total currency: bill 17 EURO 3 | bill 981 Usd 4 | batch 5 yen 5 | batch 44 XXX 1
// case total negative: bill 17 EUR -5 | bill 90 USD -1 | batch 8123 USD -75 | batch 3 EUR -120
// case send recipient: post 9 nobody 1 | post 1204 - 1 | batchpost 77 bob.at.home 2 | batchpost 4 x 9
// case send missing: post 9 a@shop.test /nonexistent/a.pdf | post 5 b@shop.test /nonexistent/2024/b-17.pdf | batchpost 12 c@x.test /nonexistent/c.pdf | batchpost 31 d@x.test /nonexistent/d/9.pdf
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

var errCurrency = errors.New("unknown currency")

type NegativeTotal struct{ Total int }

func (e NegativeTotal) Error() string { return fmt.Sprintf("the total %d is negative", e.Total) }

func total(currency string, value int) (string, error) {
	if !strings.Contains("EUR USD CHF", currency) {
		return "", fmt.Errorf("%w %s", errCurrency, currency)
	}
	if value < 0 {
		return "", NegativeTotal{value}
	}
	return fmt.Sprint(value, " ", currency), nil
}

func send(to, file string) error {
	if !strings.Contains(to, "@") {
		return fmt.Errorf("%s is not an address", strconv.Quote(to))
	}
	if _, err := os.ReadFile(file); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	return nil
}

func bill(number, first, second string) error {
	value, _ := strconv.Atoi(second)
	if _, err := total(first, value); err != nil {
		return fmt.Errorf("invoice %s: %w", number, err)
	}
	return nil
}

func post(number, first, second string) error {
	if err := send(first, second); err != nil {
		return fmt.Errorf("invoice %s: %w", number, err)
	}
	return nil
}

func main() {
	log.SetFlags(0)
	step := bill
	if strings.HasSuffix(os.Args[1], "post") {
		step = post
	}
	if err := step(os.Args[2], os.Args[3], os.Args[4]); err != nil {
		if strings.HasPrefix(os.Args[1], "batch") {
			err = fmt.Errorf("batch stopped: %w", err)
		}
		log.Fatal(err)
	}
}
