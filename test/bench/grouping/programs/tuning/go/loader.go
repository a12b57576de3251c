// Loads rows into a table; fails by the runtime's own panics.
// case fields short: load 1;tea | load 99 | replay 4;cup 2 | replay 7 4
// case fields empty: load ;tea;3 | load ;cup;12 | replay ;pot;9 3 | replay ;jug;41 1
// case average zero: mean - 0 | mean -;- 1 | nested - 3 | nested -;-;- 5
// case average nil: mean tea;cup 1 | mean a;b;c 2 | nested pot 4 | nested jug;mug 2
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type row struct {
	name  string
	price int
}

type table struct {
	rows  []*row
	index map[string]*row
}

func fields(line string) row {
	parts := strings.Split(line, ";")
	price := parts[2]
	initial := parts[0][:1]
	return row{initial + parts[1], len(price)}
}

func (t *table) average(names []string) int {
	sum, count := 0, 0
	for _, name := range names {
		if name != "-" {
			sum += t.index[name].price
			count++
		}
	}
	return sum / count
}

func replay(line string, times int) row {
	if times == 0 {
		return fields(line)
	}
	return replay(line, times-1)
}

func nested(t *table, names []string, depth int) int {
	if depth == 0 {
		return t.average(names)
	}
	return nested(t, names, depth-1) + depth
}

func main() {
	times := 0
	if len(os.Args) > 3 {
		times, _ = strconv.Atoi(os.Args[3])
	}
	prices := &table{index: map[string]*row{}}
	names := strings.Split(os.Args[2], ";")
	switch os.Args[1] {
	case "load":
		fmt.Println(fields(os.Args[2]))
	case "replay":
		fmt.Println(replay(os.Args[2], times))
	case "mean":
		fmt.Println(prices.average(names))
	case "nested":
		fmt.Println(nested(prices, names, times))
	}
}
