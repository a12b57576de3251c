package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

type order struct{ lines []string }

type outOfStock struct{ article string }

func (e outOfStock) Error() string { return e.article + " is sold out" }

func depth(category string, parents map[string]string) int {
	return 1 + depth(parents[category], parents)
}

func second(o *order) string { return o.lines[1] }

func discount(price, parts int) int { return price / parts }

func reserve(article string) { panic(outOfStock{article}) }

func customer(o *order) int { return len(o.lines) }

func count(prices map[string]int, name string) { prices[name]++ }

func readOrder(text string) (o order) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(fmt.Errorf("order 7 is not readable: %w", err))
	}
	return o
}

func closeTill(failure any) {
	defer func() { panic(fmt.Sprintf("till is open: %v", recover())) }()
	panic(failure)
}

func main() {
	debug.SetMaxStack(1 << 20)
	kinds := map[string]func(){
		"text":           func() { panic("discount of 120 percent") },
		"own-type":       func() { reserve("teapot") },
		"wrapped":        func() { readOrder(`{"lines": [1, 2`) },
		"bounds":         func() { second(&order{lines: []string{"cup"}}) },
		"nil":            func() { customer(nil) },
		"nil-map":        func() { count(nil, "cup") },
		"recursion":      func() { depth("cups", map[string]string{"cups": "kitchen", "kitchen": "cups"}) },
		"while-handling": func() { closeTill(errors.New("no change")) },
		"deadlock":       func() { <-make(chan int) },
		"goroutine": func() {
			var group sync.WaitGroup
			group.Add(1)
			go func() { defer group.Done(); discount(40, 0) }()
			group.Wait()
		},
	}
	kinds[os.Args[1]]()
}
