// Moves orders through their states; a recovered panic gets context and is raised again.
// case move transition: move 17 new delivered | move 9001 packed new | bulk 12 shipped packed | bulk 44 delivered new
// case move locked: move 13 new packed | move 1313 packed shipped | bulk 813 new packed | bulk 130013 new packed
// case address country: label 5 Berlin ZZ | label 712 RueDeLyon QQ | reprint 9 Main-St.4 XK | reprint 3 Oslo AA
// case address street: label 5 - DE | label 88 - FR | reprint 12 - NO | reprint 4 - DE
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type orderID int

type Problem struct {
	Order  orderID
	Reason string
}

func (p Problem) Error() string { return "order " + strconv.Itoa(int(p.Order)) + " " + p.Reason }

func check(ok bool, order orderID, format string, args ...any) {
	if !ok {
		panic(Problem{order, fmt.Sprintf(format, args...)})
	}
}

var next = map[string]string{"new": "packed", "packed": "shipped", "shipped": "delivered"}

func (o orderID) move(from, to string) string {
	check(o%100 != 13, o, "is locked by the audit")
	check(next[from] == to, o, "cannot go from %s to %s", from, to)
	return to
}

func (o orderID) address(street, country string) string {
	check(street != "-", o, "has no street")
	check(strings.Contains("DE FR NO", country), o, "goes to %s, where we do not ship", country)
	return strings.ToUpper(street)
}

func bulk(orders []orderID, action func(orderID) string) {
	for _, order := range orders {
		defer func() {
			if problem := recover(); problem != nil {
				panic(fmt.Sprintf("bulk action stopped: %v", problem))
			}
		}()
		action(order)
	}
}

func each(depth int, order orderID, action func(orderID) string) string {
	if depth > 0 {
		return each(depth-1, order, action)
	}
	return action(order)
}

func main() {
	number, _ := strconv.Atoi(os.Args[2])
	order, first, second := orderID(number), os.Args[3], os.Args[4]
	mover := func(one orderID) string { return one.move(first, second) }
	printer := func(one orderID) string { return one.address(first, second) }
	switch os.Args[1] {
	case "move":
		mover(order)
	case "bulk":
		bulk([]orderID{order}, mover)
	case "label":
		printer(order)
	case "reprint":
		each(number%4, order, printer)
	}
}
