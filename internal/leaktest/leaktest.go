// Package leaktest runs a package's tests and then looks for goroutines that have
// outlived them. It is for tests.
package leaktest

import (
	"fmt"
	"os"

	"go.uber.org/goleak"
)

// Runner is a [testing.M], or what stands for one.
type Runner interface{ Run() int }

// looks is how often to look; each look takes half a second before it finds something.
var looks = 20

// After returns a runner that runs m and fails if all tests passed and a goroutine is
// left. What still ends is waited for: on a busy machine that may take a while.
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
	var left error
	for range looks {
		if left = goleak.Find(a.ignore...); left == nil {
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, left)
	return 1
}
