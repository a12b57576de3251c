// Evaluates formulas in prefix notation by mutual recursion.
// case apply division: eval /,6,0 B1 | eval +,1,/,7,0 B2 | cell -,4,/,12,0 B7 | cell *,2,+,3,/,9,0 A1
// case apply operator: eval %,6,2 C1 | eval +,1,^,2,3 C2 | cell -,4,&,1,2 C12 | cell *,2,+,3,<,9,1 D9
// case operand name: eval +,price,1 E1 | eval *,2,total_9 E2 | cell /,net,4 B2 | cell -,1,+,2,vat7 F4
// case operand end: eval + G1 | eval *,2 G2 | cell +,1,-,3 A9 | cell /,1,* ZZ3
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type FormulaError struct{ Position int }

func (e FormulaError) Error() string {
	return fmt.Sprintf("formula ends after %d words", e.Position)
}

type NameError string

func (e NameError) Error() string { return "name " + string(e) + " is not defined" }

type formula struct {
	words []string
	at    int
}

func (f *formula) operand() string {
	if f.at >= len(f.words) {
		panic(FormulaError{f.at})
	}
	word := f.words[f.at]
	if word[0] >= 'a' && word[0] <= 'z' {
		panic(NameError(word))
	}
	f.at++
	return word
}

func apply(sign string, left, right int) int {
	switch sign {
	case "+":
		return left + right
	case "-":
		return left - right
	case "*":
		return left * right
	case "/":
		return left / right
	}
	panic("unknown operator " + strconv.Quote(sign))
}

func (f *formula) evaluate() int {
	word := f.operand()
	if value, err := strconv.Atoi(word); err == nil {
		return value
	}
	left := f.evaluate()
	return apply(word, left, f.evaluate())
}

func cell(name string, words []string) (text string) {
	sheet := map[string]*formula{name: {words: words}}
	for key, one := range sheet {
		text += key + strconv.Itoa(one.evaluate())
	}
	return text
}

func main() {
	words := strings.Split(os.Args[2], ",")
	if os.Args[1] == "cell" {
		fmt.Println(cell(os.Args[3], words))
		return
	}
	fmt.Println((&formula{words: words}).evaluate())
}
