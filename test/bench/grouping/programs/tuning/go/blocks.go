// Parses nested lists such as (add 1 (mul 2 3)) with a parser that panics.
// case number digits: parse (add_1_2x) | parse (mul_3_4,5) | file (add_1_(add_2_0b)) 2 | file (sub_9z_1) 3
// case number range: parse (add_1_99999999999999999999) | parse (mul_88888888888888888888888_2) | file (add_1_(sub_77777777777777777777_1)) 1 | file (add_66666666666666666666_1) 4
// case list unclosed: parse (add_1_2 | parse (add_1_(mul_2_3) | file (sub_4 1 | file (add_(add_(add_1 3
// case list operator: parse (pow_1_2) | parse (add_1_(mod_7_2)) | file (sqrt_9) 2 | file (mul_2_(xor_1_1)) 1
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type SyntaxError struct {
	Offset int
	Text   string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Text) }

type parser struct {
	words []string
	at    int
}

func (p *parser) fail(format string, args ...any) {
	panic(SyntaxError{p.at, fmt.Sprintf(format, args...)})
}

func (p *parser) number(word string) int {
	if strings.Trim(word, "0123456789") != "" {
		p.fail("%q is not a number", word)
	}
	value, err := strconv.Atoi(word)
	if err != nil {
		p.fail("number out of range: %s", word)
	}
	return value
}

func (p *parser) list() (sum int) {
	p.at++
	name := p.words[p.at]
	if !strings.Contains("add mul sub", name) {
		p.fail("unknown operator %s", name)
	}
	for p.at++; p.at < len(p.words); p.at++ {
		switch word := p.words[p.at]; word {
		case "(":
			sum += p.list()
		case ")":
			return sum
		default:
			sum += p.number(word)
		}
	}
	panic(SyntaxError{p.at, "list " + name + " is not closed"})
}

func parse(text string) int {
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ", "_", " ").Replace(text)
	return (&parser{words: strings.Fields(spaced)}).list()
}

func file(text string, lines int) {
	for line := range lines {
		fmt.Println(line, parse(text))
	}
}

func main() {
	if os.Args[1] == "parse" {
		fmt.Println(parse(os.Args[2]))
		return
	}
	lines, _ := strconv.Atoi(os.Args[3])
	file(os.Args[2], lines)
}
