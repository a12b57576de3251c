// Sends notifications by workers that panic on what they cannot do.
// case render field: mail welcome email=ada | mail reset name=bob | later receipt user=cy | later welcome x=1
// case render template: mail wellcome name=a | mail invoice-de name=b | later ad_7 name=c | later promo.2 name=d
// case deliver limit: send ada 200 | send bob 161 | fan cy 400 | fan eve 999
// case deliver blocked: send spam-7 10 | send spam.example 5 | fan spam1 3 | fan spam-eu 90
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

var fieldsOf = map[string]string{"welcome": "name", "reset": "link", "receipt": "total"}

type TemplateError struct {
	Template string
	Field    *string
}

func (e TemplateError) Error() string {
	if e.Field == nil {
		return "template " + e.Template + " does not exist"
	}
	return fmt.Sprintf("template %s needs the field %q", e.Template, *e.Field)
}

var errBlocked = errors.New("address is blocked")

func render(template, pair string) string {
	field, known := fieldsOf[template]
	if !known {
		panic(TemplateError{Template: template})
	}
	name, value, _ := strings.Cut(pair, "=")
	if name != field {
		panic(TemplateError{template, &field})
	}
	return template + value
}

func deliver(to string, length int) error {
	if strings.HasPrefix(to, "spam") {
		return fmt.Errorf("deliver to <%s>: %w", to, errBlocked)
	}
	if length > 160 {
		return fmt.Errorf("deliver to <%s>: text has %d characters", to, length)
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func fan(to string, length int) {
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		must(deliver(to, length))
		group.Done()
	}()
	group.Wait()
}

func main() {
	first, second := os.Args[2], os.Args[3]
	length, _ := strconv.Atoi(second)
	switch os.Args[1] {
	case "mail":
		fmt.Println(render(first, second))
	case "later":
		for _, work := range []func() string{func() string { return render(first, second) }} {
			fmt.Println(work())
		}
	case "send":
		must(deliver(first, length))
	case "fan":
		fan(first, length)
	}
}
