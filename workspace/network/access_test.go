package network

import (
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func access(t *testing.T, words string) Access {
	t.Helper()
	a, err := Parse(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParse(t *testing.T) {
	for words, want := range map[string]string{
		"": "none", "none": "none", "host": "host",
		"API.example.org api.example.org": "api.example.org", "*.example.org b.example.org:8443": "*.example.org b.example.org:8443",
		"10.1.2.3 [2001:db8::1]:443 [2001:db8::2] 2001:db8::3": "10.1.2.3 [2001:db8::1]:443 2001:db8::2 2001:db8::3",
		"localhost:80 127.0.0.1:8080 [::1]:8080":               "localhost:80 127.0.0.1:8080 [::1]:8080", "::ffff:10.0.0.1": "10.0.0.1", "intranet": "intranet",
		"none a.example": "", "a.example host": "", "localhost": "", "127.0.0.1": "", "::1": "", "0.0.0.0:80": "", "224.0.0.1": "", "fe80::1%eth0": "",
		"*": "", "*.org": "", "*.localhost": "", "a.example.": "", "https://a.example": "", "a.example:0": "", "a.example:080": "", "a.example:65536": "", "a.example:": "",
		"2130706433": "", "0x7f.1": "", "127.1": "", "a.0x1f": "", "a..b": "", "Host": "", "NONE": "", "host:8080": "host:8080", "-a.example": "", "bücher.example": "", "a.example/x": "", "u@a.example": "",
		strings.Repeat("a.", 126) + "a": strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 126) + "aa": "",
	} {
		a, err := Parse(strings.Fields(words))
		if got := strings.Join(a.Words(), " "); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q is %q, %v; want %q", words, got, err, want)
		}
	}
	var many []string
	for i := range maxPeers + 1 {
		many = append(many, "a"+strings.Repeat("b", i%60)+strings.Repeat(".c", i/60)+".example")
	}
	if _, err := Parse(many); err == nil || !strings.Contains(err.Error(), "at most 100") {
		t.Error(err)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		a, other string
		want     bool
	}{
		{"none", "none", true}, {"host", "a.example", false}, {"host", "host", true}, {"a.example", "host", true}, {"a.example", "none", false},
		{"a.example:443", "a.example", true}, {"a.example", "a.example:443", false}, {"a.example:8443", "a.example", false},
		{"x.b.example", "*.b.example", true}, {"*.x.b.example", "*.b.example", true}, {"*.b.example", "*.b.example", true}, {"b.example", "*.b.example", false},
		{"*.b.example", "b.example", false}, {"xb.example", "*.b.example", false}, {"10.0.0.1", "10.0.0.1", true}, {"10.0.0.1", "10.0.0.2", false},
	} {
		if got := access(t, c.a).Within(access(t, c.other)); got != c.want {
			t.Errorf("%s is within %s: %v", c.a, c.other, got)
		}
	}
}

// What two access rights have in common is compared as hosts, never as texts.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ a, other, want string }{
		{"host", "host", "host"}, {"host", "a.example", "a.example"}, {"A.example", "host", "a.example"}, {"a.example", "none", "none"}, {"none", "host", "none"},
		{"A.example", "a.EXAMPLE", "a.example"}, {"a.example", "b.example", "none"}, {"a.example", "a.example:443", "a.example:443"}, {"a.example:8443", "a.example", "none"},
		{"x.b.example", "*.b.example", "x.b.example"}, {"*.b.example", "x.b.example", "x.b.example"}, {"*.b.example", "*.x.b.example", "*.x.b.example"}, {"*.b.example", "b.example", "none"},
		{"x.b.example", "*.b.example:443", "x.b.example:443"}, {"*.b.example:80", "x.b.example", "x.b.example:80"}, {"x.b.example:8443", "*.b.example:443", "none"},
		{"::ffff:10.0.0.1 a.example", "10.0.0.1", "10.0.0.1"}, {"[2001:db8:0::1]:443", "2001:db8::1", "[2001:db8::1]:443"},
	} {
		got := access(t, c.a).Narrow(access(t, c.other))
		if words := strings.Join(got.Words(), " "); words != c.want || !got.Within(access(t, c.a)) || !got.Within(access(t, c.other)) {
			t.Errorf("%s and %s have %s in common, want %s", c.a, c.other, words, c.want)
		}
	}
}

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false, "fe80::1": false, "fd00::1": false,
		"::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::a00:1": false, "2002:a00:1::": false, "::7f00:1": false, "192.0.0.170": false,
		"::ffff:0:7f00:1": false, "100:0:0:1::1": false, "4000::1": false, "fe00::1": false, "64:ff9b::808:808": true, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::808:808": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is public: %v, want %v", text, got, want)
		}
	}
}

func TestReportsAreBounded(t *testing.T) {
	var r record
	for i := range 300 {
		r.refuse(strings.Repeat("a", i+1)+".example:443", "")
		r.refuse("often.example:443", "")
	}
	got := r.report()
	if len(got.Refused) != maxContacts || got.More != 201 || got.Refused[0] != (Contact{Peer: "often.example:443", Count: 300}) {
		t.Errorf("%d, %d, %v", len(got.Refused), got.More, got.Refused[0])
	}
	if s := got.Sentence(); !strings.HasPrefix(s, "It could not reach often.example:443 (300 times), a.example:443, ") || !strings.HasSuffix(s, " and 90 more hosts. Not listed: 201 more attempts.") {
		t.Error(s)
	}
	if got := visible("a\n\x1b[31m" + strings.Repeat("b", 200)); strings.ContainsAny(got, "\n\x1b") || len(got) > 100 {
		t.Errorf("%q", got)
	}
}
