// Reserves articles; problems are panics that the caller does not expect.
// case reserve unknown: order tea-17 2 | order kettle-9 1 | restock tea-0911 5 | order XR_200 4
// case reserve short: order teapot 9 | order cup 40 | restock saucer 12 | order teapot 33
// case shelf closed: ship berlin 2 | ship Lyon-2 1 | audit berlin 3 | audit Lyon-2 5
// case shelf full: ship porto 10 | ship oslo 8 | audit porto 44 | audit oslo 19
package main

import (
	"fmt"
	"os"
	"strconv"
)

type StockError struct {
	Article string
	Reason  string
}

func (e *StockError) Error() string { return fmt.Sprintf("article %s: %s", e.Article, e.Reason) }

func newStockError(article, format string, args ...any) error {
	return &StockError{article, fmt.Sprintf(format, args...)}
}

var stock = map[string]int{"teapot": 8, "cup": 31, "saucer": 0}

func reserve(article string, count int) {
	left, known := stock[article]
	if !known {
		panic(newStockError(article, "not in the catalogue"))
	}
	if left < count {
		panic(newStockError(article, "%d wanted, %d left", count, left))
	}
	stock[article] = left - count
}

func shelf(warehouse string, number int) string {
	if warehouse == "berlin" || warehouse == "Lyon-2" {
		panic(fmt.Errorf("warehouse %q is closed for stocktaking", warehouse))
	}
	if number > 7 {
		panic(fmt.Errorf("warehouse %q is full: shelf %d does not exist", warehouse, number))
	}
	return warehouse + strconv.Itoa(number)
}

func audit(warehouse string, number, depth int) string {
	if depth == 0 {
		return shelf(warehouse, number)
	}
	return audit(warehouse, number, depth-1)
}

func main() {
	number, _ := strconv.Atoi(os.Args[3])
	switch name := os.Args[2]; os.Args[1] {
	case "order":
		reserve(name, number)
	case "restock":
		for _, count := range []int{0, number} {
			reserve(name, count)
		}
	case "ship":
		fmt.Println(shelf(name, number))
	case "audit":
		fmt.Println(audit(name, number, number%4))
	}
}
