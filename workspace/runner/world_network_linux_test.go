//go:build amd64 || arm64

package runner

import (
	"os/exec"
	"testing"
	"time"
)

// The runner tells whether a command has tried to reach something outside: by TCP, by UDP, by IPv6,
// and a name server that is not there. What stays on the loopback device does not count.
func TestWorldTellsWhatItCouldNotReach(t *testing.T) {
	h := newHouse(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not here, which opens connections: install bash")
	}
	for line, want := range map[string]bool{
		"true": false,
		"bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'": true,
		"bash -c 'echo x >/dev/udp/192.0.2.1/53'": true,
		"bash -c 'echo x >/dev/udp/127.0.0.1/53'": true,
		"bash -c 'exec 3<>/dev/tcp/127.0.0.1/80'": false, // refused, as by a server of the test's own that has ended
	} {
		o := h.run(t, line, time.Minute)
		if got := o.Unreached > 0; got != want {
			t.Errorf("%s: %d times, want some: %v\n%s", line, o.Unreached, want, o.Output)
		}
	}
}
