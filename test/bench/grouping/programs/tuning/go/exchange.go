// Converts money; a tool that prints its error and exits.
// case rate unknown: convert EUR XAU 12 | convert USD zloty 3 | total EUR btc 4 | total CHF Lira 9
// case rate stale: convert EUR ARS 7 | convert USD ARS 80 | total CHF TRY 6 | total EUR TRY 88
// case amount parse: convert EUR USD 1,5 | convert CHF USD ten | total USD EUR 7e | total EUR CHF 0x
// case amount limit: convert EUR USD 9000001 | convert CHF USD 12000000 | total USD EUR 77000000 | total EUR CHF 8100000
package main

import (
	"fmt"
	"os"
	"strconv"
)

type RateError struct {
	From, To string
	Stale    string
}

func (e *RateError) Error() string {
	if e.Stale != "" {
		return fmt.Sprintf("rate %s/%s is stale: last one of %s", e.From, e.To, e.Stale)
	}
	return fmt.Sprintf("rate %s/%s: unknown currency %[2]s", e.From, e.To)
}

var rates = map[string]float64{"EUR": 1, "USD": 1.1, "CHF": 0.95}
var stale = map[string]string{"ARS": "2021-04-01", "TRY": "2022-11-30"}

func rate(from, to string) (float64, error) {
	if day, old := stale[to]; old {
		return 0, &RateError{from, to, day}
	}
	if _, known := rates[to]; !known {
		return 0, &RateError{From: from, To: to}
	}
	return rates[to] / rates[from], nil
}

func amount(text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("bad amount: %w", err)
	}
	if value > 8e6 {
		return 0, fmt.Errorf("amount %s is above the limit of 8000000", text)
	}
	return value, nil
}

func convert(from, to, text string) (float64, error) {
	value, err := amount(text)
	if err != nil {
		return 0, err
	}
	factor, err := rate(from, to)
	return value * factor, err
}

func total(from, to string, texts ...string) (sum float64, err error) {
	for _, text := range texts {
		part, err := convert(from, to, text)
		if err != nil {
			return 0, fmt.Errorf("total of %d amounts: %w", len(texts), err)
		}
		sum += part
	}
	return sum, nil
}

func main() {
	command, from, to, text := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	value, err := convert(from, to, text)
	if command == "total" {
		value, err = total(from, to, text, "1")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "exchange: %v\n", err)
		os.Exit(2)
	}
	fmt.Println(value)
}
