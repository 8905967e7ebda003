package leash

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// The reason of a refusal keeps what the kernel or the helper said, and adds what helps if that is
// known.
func TestRefused(t *testing.T) {
	full := Refused(fmt.Errorf("started: %w", syscall.ENOSPC))
	if !strings.Contains(full.Why, "namespaces") || !strings.Contains(full.Do, "administrator") {
		t.Errorf("no namespaces left: %+v", full)
	}
	for _, err := range []error{fmt.Errorf("started: %w", syscall.EPERM), errors.New("it cannot be mounted: permission denied")} {
		if r := Refused(err); r.Do == "" || !strings.Contains(r.Why, err.Error()) && !strings.HasPrefix(r.Why, "the system refuses namespaces: operation not permitted") {
			t.Errorf("%v: %+v", err, r)
		}
	}
	if r := Refused(errors.New("/proc/x is too big")); r.Why != "/proc/x is too big" || r.Do != "" {
		t.Errorf("another error: %+v", r)
	}
}
