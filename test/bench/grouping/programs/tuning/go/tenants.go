// Checks what users may do; logs with slog and exits.
// case allow role: read ada acme delete | read bob-2 globex publish | nested cy initech publish | nested dee acme purge
// case allow suspended: read ada hooli read | read eve hooli delete | nested fay hooli read | nested gus hooli read
// case session expired: login ada 1699999999 - | login ops@acme.test 1500000000 - | refresh bob 1600000001 - | refresh cy 12 -
// case session token: login ada x91-7 - | login bob 16999z - | refresh cy token7 - | refresh dee nil -
package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
)

type Denied struct{ User, Tenant, Action string }

func (d *Denied) Error() string {
	return fmt.Sprintf("%s may not %s in tenant %s", d.User, d.Action, d.Tenant)
}

var ErrSuspended = errors.New("tenant is suspended")

func allow(user, tenant, action string) error {
	if tenant == "hooli" {
		return fmt.Errorf("%s, %s has to call support: %w", tenant, user, ErrSuspended)
	}
	if action != "read" {
		return &Denied{user, tenant, action}
	}
	return nil
}

func session(user, token string) error {
	issued, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		return fmt.Errorf("malformed token of %s: %w", user, err)
	}
	if issued < 1_700_000_000 {
		return fmt.Errorf("session of %s expired at %d", user, issued)
	}
	return nil
}

func nested(depth int, user, tenant, action string) error {
	if depth > 0 {
		return nested(depth-1, user, tenant, action)
	}
	return allow(user, tenant, action)
}

func refresh(user, token string) error {
	if err := session(user, token); err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	return nil
}

func main() {
	user, second, third := os.Args[2], os.Args[3], os.Args[4]
	var err error
	switch os.Args[1] {
	case "read":
		err = allow(user, second, third)
	case "nested":
		err = nested(len(user), user, second, third)
	case "login":
		err = session(user, second)
	case "refresh":
		err = refresh(user, second)
	}
	if err != nil {
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("request failed", "err", err, "user", user)
		os.Exit(1)
	}
}
