// A client of an HTTP service behind a test server; gives up by a panic in its Must functions.
// case fetch status: get /users/17 503 | get /v2/orders/ab12 502 | sync /items 500 | sync /users/9/tags 504
// case fetch body: get /health 200 | get /users/3 201 | sync /orders/8 200 | sync /items 203
// case dial host: dial - 443 | dial - 80 | pool - 8080 | pool - 5432
// case dial port: dial db-1.internal 0 | dial cache 70001 | pool web.example.org 99999 | pool 10.0.0.7 123456
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

type APIError struct {
	Path   string
	Status int
	Cause  error
}

func (e *APIError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("GET %s: %v", e.Path, e.Cause)
	}
	return fmt.Sprintf("GET %s: unexpected status %d", e.Path, e.Status)
}

type user struct{ Name string }

func fetch(path string, status int) (*user, error) {
	if status >= 500 {
		return nil, &APIError{Path: path, Status: status}
	}
	found := &user{}
	if err := json.Unmarshal([]byte(`{"name": "ada", `), found); err != nil {
		return nil, &APIError{Path: path, Status: status, Cause: err}
	}
	return found, nil
}

func mustFetch(path string, status int) *user {
	found, err := fetch(path, status)
	if err != nil {
		panic(err)
	}
	return found
}

func dial(host string, port int) string {
	if host == "-" {
		panic("dial: no host for port " + strconv.Itoa(port))
	}
	if port < 1 || port > 65535 {
		panic(fmt.Sprintf("dial: %s: port %d is out of range", host, port))
	}
	return host
}

type pool struct{ open func() string }

func (p pool) fill(size int) (hosts []string) {
	for range size {
		hosts = append(hosts, p.open())
	}
	return hosts
}

func main() {
	name := os.Args[2]
	number, _ := strconv.Atoi(os.Args[3])
	switch os.Args[1] {
	case "get":
		fmt.Println(mustFetch(name, number))
	case "sync":
		done := make(chan *user)
		go func() { done <- mustFetch(name, number) }()
		fmt.Println(<-done)
	case "dial":
		fmt.Println(dial(name, number))
	case "pool":
		fmt.Println(pool{func() string { return dial(name, number) }}.fill(3))
	}
}
