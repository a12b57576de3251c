// Runs jobs in goroutines; the first error cancels the others.
// case start missing: once httpd 1 | once com.acme.backup 1 | all mailer 3 | all rsync_2 2
// case start busy: once cleanup 7 | once import 12 | all cleanup 9 | all import 30
// case wait late: wait nightly 5 | wait mail-7 3 | nested report 4 | nested rsync 9
// case wait result: result nightly 5 | result cron.9 8 | nested x-ray 0 | nested sum 0
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

type JobError struct {
	Job string
	Err error
}

func (e *JobError) Error() string { return "job (" + e.Job + ") failed: " + e.Err.Error() }
func (e *JobError) Unwrap() error { return e.Err }

var errMissing = errors.New("no such job")

func start(job string, slots int) error {
	if job != "cleanup" && job != "import" {
		return &JobError{job, errMissing}
	}
	if slots > 5 {
		return &JobError{job, fmt.Errorf("all %d slots are busy", slots)}
	}
	return nil
}

func wait(ctx context.Context, job string, count int) error {
	if count == 0 || ctx.Value(job) != nil {
		return &JobError{Job: job, Err: errors.New("the job returned no result")}
	}
	<-ctx.Done()
	return &JobError{Job: job, Err: fmt.Errorf("gave up after %d tries: %w", count, ctx.Err())}
}

func nested(ctx context.Context, job string, count, depth int) error {
	if depth > 0 {
		return nested(ctx, job, count, depth-1)
	}
	return wait(ctx, job, count)
}

func all(job string, slots int) error {
	var group sync.WaitGroup
	found := make([]error, 2)
	for index := range found {
		group.Go(func() { found[index] = start(job, slots) })
	}
	group.Wait()
	return fmt.Errorf("start all: %w", found[0])
}

func run(command, job string, number int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	switch command {
	case "once":
		return start(job, number)
	case "all":
		return all(job, number)
	case "wait":
		return wait(ctx, job, number)
	case "result":
		return wait(context.WithValue(ctx, job, true), job, number)
	}
	return nested(ctx, job, number, len(job))
}

func main() {
	number, _ := strconv.Atoi(os.Args[3])
	if err := run(os.Args[1], os.Args[2], number); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}
