package leaktest

import (
	"testing"

	"go.uber.org/goleak"
)

type run func() int

func (r run) Run() int { return r() }

func TestAfter(t *testing.T) {
	defer func(usual int) { looks = usual }(looks)
	looks = 1
	end := make(chan struct{})
	for name, c := range map[string]struct {
		run  run
		want int
	}{
		"all is over":            {func() int { return 0 }, 0},
		"the tests have failed":  {func() int { return 3 }, 3},
		"something still ends":   {func() int { go func() {}(); return 0 }, 0},
		"something does not end": {func() int { go func() { <-end }(); return 0 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := After(c.run, goleak.IgnoreCurrent()).Run(); got != c.want {
				t.Errorf("exit status %d, want %d", got, c.want)
			}
		})
	}
	close(end)
}
