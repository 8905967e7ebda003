//go:build amd64 || arm64

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"redline/workspace/network"
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

// site is a server on the loopback device of the host, which says its name.
func site(t *testing.T, name string) (port string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, name) }))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// asking are functions of bash: ask sends a request to a port in the world, proxy is the port of the proxy.
const asking = `proxy=${HTTPS_PROXY##*:}
ask() { { exec 3<>/dev/tcp/127.0.0.1/$1; } 2>/dev/null || { echo "$3: nobody"; return; }; printf '%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$2" >&3; echo "$3: $(tr -d '\r' <&3 | sed -n '1p;$p' | paste -sd' ')"; exec 3>&-; }
`

func (h *house) runNetwork(t *testing.T, words []string, line string, tell func(Stream, string)) Outcome {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not here, which opens connections: install bash")
	}
	a, err := network.Parse(words)
	if err != nil {
		t.Fatal(err)
	}
	h.write(t, "work space/ask.sh", asking+line, 0o644)
	o, err := Run(t.Context(), Command{Line: "bash ask.sh", Dir: h.workspace, World: &h.world, Network: a, Limits: Limits{Time: time.Minute}}, tell)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// With named peers a command reaches these through the proxy, a port of this machine also by its own
// port, and nothing else.
func TestWorldReachesNamedPeers(t *testing.T) {
	h := newHouse(t)
	named, other := site(t, "named"), site(t, "other")
	o := h.runNetwork(t, []string{"127.0.0.1:" + named, "api.example"}, `
ask `+named+` "GET /" "its port"
ask `+other+` "GET /" "another port"
ask $proxy "GET http://127.0.0.1:`+named+`/" "by the proxy"
ask $proxy "GET http://127.0.0.1:`+other+`/" "another by the proxy"
ask $proxy "CONNECT evil.example:443" "a name"
ask $proxy "CONNECT 2130706433:`+named+`" "a number"
bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' 2>/dev/null || echo past the proxy: nobody
echo $HTTP_PROXY $http_proxy $https_proxy $ALL_PROXY $NO_PROXY $NODE_USE_ENV_PROXY | sed s/$proxy/P/g
ls -l /proc/$$/fd | grep -c socket:
`, nil)
	want := strings.ReplaceAll(`its port: HTTP/1.1 200 OK named
another port: nobody
by the proxy: HTTP/1.1 200 OK named
another by the proxy: HTTP/1.1 403 Forbidden redline: 127.0.0.1:OTHER is refused: it is not among the hosts that this command may reach
a name: HTTP/1.1 403 Forbidden redline: evil.example:443 is refused: it is not among the hosts that this command may reach
a number: HTTP/1.1 403 Forbidden redline: 2130706433:NAMED is refused: it is not among the hosts that this command may reach
past the proxy: nobody
http://127.0.0.1:P http://127.0.0.1:P http://127.0.0.1:P http://127.0.0.1:P localhost,127.0.0.1,::1 1
0
`, "OTHER", other)
	want = strings.ReplaceAll(want, "NAMED", named)
	if o.Stdout != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", o.Stdout, want, o.Stderr)
	}
	wantReport := "It reached 127.0.0.1:" + named + " (2 times). It could not reach 127.0.0.1:" + other + ", 2130706433:" + named + " and evil.example:443. It tried to reach something without the proxy, which leads nowhere (1 time)."
	if got := o.Network.Sentence(); got != wantReport {
		t.Errorf("%s, want %s", got, wantReport)
	}
}

// The proxy is in no network but the world's, and ends with the command: a process that stays behind
// has no connection any more.
func TestWorldEndsItsProxy(t *testing.T) {
	h := newHouse(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	ended := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			defer c.Close()
			_, _ = io.WriteString(c, "hello\n")
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			_, err = c.Read(make([]byte, 1))
		}
		ended <- err
	}()
	o := h.runNetwork(t, []string{"localhost:" + port}, `
exec 3<>/dev/tcp/127.0.0.1/`+port+`; read -r word <&3; echo $word $proxy
setsid sleep 1000 &
sleep 0.3
`, func(_ Stream, text string) {
		f := strings.Fields(text)
		if len(f) != 2 || f[0] != "hello" {
			t.Errorf("%q", text)
			return
		}
		if c, err := net.DialTimeout("tcp", "127.0.0.1:"+f[1], time.Second); err == nil {
			c.Close()
			t.Error("the host has the port of the proxy")
		}
	})
	if o.End != Exited || o.ExitCode != 0 {
		t.Errorf("%+v", o)
	}
	if err := <-ended; err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection has not ended: %v", err)
	}
}

// A port that is taken in the world, or a helper that ends early, is no reason to wait.
func TestWorldWithNetworkEnds(t *testing.T) {
	h := newHouse(t)
	a, err := network.Parse([]string{"api.example"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o, err := Run(ctx, Command{Line: "echo x; sleep 1000", Dir: h.workspace, World: &h.world, Network: a}, func(Stream, string) { cancel() })
	if err != nil || o.End != Cancelled {
		t.Errorf("%+v, %v", o, err)
	}
	bad := h.world
	bad.Folders = []string{"/"}
	if _, err := Run(t.Context(), Command{Line: "true", Dir: h.workspace, World: &bad, Network: a}, nil); err == nil {
		t.Error("there is a world of everything")
	}
}

// With the network of the host, a command reaches its services, and still no sockets in files and no
// abstract ones, which the test of the world tries; the outcome says so.
func TestWorldWithTheNetworkOfTheHost(t *testing.T) {
	h := newHouse(t)
	t.Setenv("HTTPS_PROXY", "http://user:secret@proxy.corp:3128")
	o := h.runNetwork(t, []string{"host"}, `ask `+site(t, "service")+` "GET /" service; cat /etc/resolv.conf >/dev/null && echo resolvers; echo $HTTPS_PROXY $NODE_USE_ENV_PROXY`, nil)
	want := "service: HTTP/1.1 200 OK service\nresolvers\nhttp://proxy.corp:3128\n"
	if _, err := os.Stat(resolvers); err != nil {
		want = strings.Replace(want, "resolvers\n", "", 1)
	}
	if o.Stdout != want || !o.Network.Host || o.Unreached != 0 {
		t.Errorf("%+v", o)
	}
	if s := o.Network.Sentence(); s != "It may have reached the network, services of this machine included." {
		t.Error(s)
	}
}
