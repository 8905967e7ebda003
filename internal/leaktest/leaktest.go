// Package leaktest runs a package's tests and then reports goroutines that are left. It is
// for tests.
package leaktest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Runner is a [testing.M], or a replacement for one.
type Runner interface{ Run() int }

// looks is the number of checks; each waits up to half a second for goroutines to end.
var looks = 20

// After returns a runner that runs m and fails if all tests passed and a goroutine is left.
// It waits for goroutines that are ending, which may take a while on a busy machine.
func After(m Runner, ignore ...goleak.Option) Runner { return after{m, ignore} }

type after struct {
	tests  Runner
	ignore []goleak.Option
}

func (a after) Run() int {
	code := a.tests.Run()
	if code != 0 {
		return code
	}
	if left := left(a.ignore); left != nil {
		fmt.Fprintln(os.Stderr, left)
		return 1
	}
	return 0
}

// Check fails the test if a goroutine is left; it waits like [After].
func Check(t testing.TB, ignore ...goleak.Option) {
	t.Helper()
	if left := left(ignore); left != nil {
		t.Error(left)
	}
}

func left(ignore []goleak.Option) (err error) {
	for range looks {
		if err = goleak.Find(ignore...); err == nil {
			return nil
		}
	}
	return err
}
