package web_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"redline/web"
)

// Only the page itself gets something: not another site, another name of the machine, or a user
// without the key.
func TestOthersGetNothing(t *testing.T) {
	r := begin(t)
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"the page", func(*http.Request) {}, 200},
		{"through ssh -L", func(q *http.Request) { q.Host = "localhost:9999" }, 200},
		{"by IPv6", func(q *http.Request) { q.Host = "[::1]:9999" }, 200},
		{"no key", func(q *http.Request) { q.Header.Del("Authorization") }, 401},
		{"another key", func(q *http.Request) { q.Header.Set("Authorization", "Redline "+strings.Repeat("A", 43)) }, 401},
		{"the start of the key", func(q *http.Request) { q.Header.Set("Authorization", "Redline "+r.Token()[:20]) }, 401},
		{"an empty key", func(q *http.Request) { q.Header.Set("Authorization", "Redline ") }, 401},
		{"the key in a cookie", func(q *http.Request) { q.Header.Del("Authorization"); q.Header.Set("Cookie", "token="+r.Token()) }, 401},
		{"a rebinding name", func(q *http.Request) { q.Host = "evil.example:80" }, 403},
		{"a name that begins alike", func(q *http.Request) { q.Host = "127.0.0.1.evil.example" }, 403},
		{"a name that ends alike", func(q *http.Request) { q.Host = "evil.localhost:80" }, 403},
		{"another address", func(q *http.Request) { q.Host = "192.168.1.7:80" }, 403},
		{"all addresses", func(q *http.Request) { q.Host = "0.0.0.0:80" }, 403},
		{"another site", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"another port", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		{"an address bar", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "none") }, 403},
		{"no browser", func(q *http.Request) { q.Header.Del("Sec-Fetch-Site") }, 403},
		{"two answers", func(q *http.Request) { q.Header["Sec-Fetch-Site"] = []string{"same-origin", "cross-site"} }, 403},
		{"another origin", func(q *http.Request) { q.Header.Set("Origin", "http://evil.example") }, 403},
		{"a file", func(q *http.Request) { q.Header.Set("Origin", "null") }, 403},
	} {
		q := r.request("GET", "/api/plan", nil)
		c.change(q)
		status, answer := r.send(q)
		if status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, status, answer, c.status)
		}
		if status != 200 && (strings.Contains(answer, "Total") || strings.Contains(answer, r.Token())) {
			t.Errorf("%s: %s", c.name, answer)
		}
	}
	q := r.request("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}}))
	q.Header.Del("Origin")
	if status, _ := r.send(q); status != 403 {
		t.Errorf("a decision without an origin: %d", status)
	}
}

// The page itself is shown to who opens it, and holds nothing; no other site can frame it or load it.
func TestThePageHoldsNothing(t *testing.T) {
	r := begin(t)
	q, _ := http.NewRequest("GET", r.Address(), nil)
	q.Header.Set("Sec-Fetch-Site", "cross-site") // as from a file
	q.Header.Set("Sec-Fetch-Mode", "navigate")
	q.Header.Set("Sec-Fetch-Dest", "document")
	got, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	page, _ := io.ReadAll(got.Body)
	got.Body.Close()
	if got.StatusCode != 200 || strings.Contains(string(page), r.Token()) || strings.Contains(string(page), "Total") {
		t.Errorf("%d\n%s", got.StatusCode, page)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if !strings.HasPrefix(got.Header.Get(name), want) {
			t.Errorf("%s: %q", name, got.Header.Get(name))
		}
	}
	if len(got.Cookies()) > 0 || strings.Contains(got.Header.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("%v", got.Header)
	}
	q.Header.Set("Sec-Fetch-Dest", "iframe")
	if status, _ := r.send(q); status != 403 {
		t.Errorf("in a frame: %d", status)
	}
	for _, path := range []string{"/page.js", "/page.css"} {
		q := r.request("GET", path, nil)
		if status, _ := r.send(q); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
		q.Header.Set("Sec-Fetch-Site", "cross-site")
		if status, _ := r.send(q); status != 403 {
			t.Errorf("%s from another site: %d", path, status)
		}
	}
	for _, path := range []string{"/page/dist/page.js", "/../server.go", "/api/", "/api/plan/..", "/favicon.ico", "//etc/passwd"} {
		if status, _ := r.send(r.request("GET", path, nil)); status == 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// A typed code gives the key; after a few wrong ones it gives nothing any more.
func TestTheCode(t *testing.T) {
	r := begin(t)
	var got struct{ Token string }
	r.ask("POST", "/api/code", m{"code": " " + strings.ToLower(r.Code()) + " "}, &got)
	if got.Token != r.Token() {
		t.Errorf("%q", got.Token)
	}
	for left := 4; left > 0; left-- {
		r.refused("POST", "/api/code", m{"code": "AAAA-AAAA"}, 403, "can try")
	}
	r.refused("POST", "/api/code", m{"code": "AAAA-AAAA"}, 410, "too often")
	r.refused("POST", "/api/code", m{"code": r.Code()}, 410, "too often")
	r.ask("GET", "/api/plan", nil, &struct{}{}) // a page that has the key stays
}

// The file that leads the browser to the page is for the user only.
func TestTheDoorIsForTheUser(t *testing.T) {
	r := begin(t)
	file, remove, err := r.Door()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v %v", info, err)
	}
	text, _ := os.ReadFile(file)
	if !strings.Contains(string(text), r.Address()+"#token="+r.Token()) {
		t.Errorf("%s", text)
	}
	remove()
	if _, err := os.Stat(file); err == nil {
		t.Error("it stays")
	}
}

// A program that sends its header slowly loses its connection.
func TestSlowHeadersEnd(t *testing.T) {
	web.HeaderWithin(t, 20*time.Millisecond)
	r := begin(t)
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.Address(), "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /api/plan HTTP/1.1\r\nHost: "); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn) // until the server closes it
	if err != nil && !strings.Contains(err.Error(), "reset") || strings.Contains(string(answer), "200 OK") {
		t.Errorf("%q %v", answer, err)
	}
}

// attack changes a request of the page into one that must be refused.
type attack func(*rand.Rand, *http.Request)

func pick(random *rand.Rand, all ...string) string { return all[random.IntN(len(all))] }

// attacks on who sends a request. Each alone is a reason to refuse it.
var attacks = []attack{
	func(random *rand.Rand, q *http.Request) {
		token := []byte(strings.TrimPrefix(q.Header.Get("Authorization"), "Redline "))
		if len(token) > 0 { // no other attack has taken it
			token[random.IntN(len(token))] ^= byte(1 + random.IntN(127))
		}
		q.Header.Set("Authorization", "Redline "+string(token))
	},
	func(random *rand.Rand, q *http.Request) {
		token := strings.TrimPrefix(q.Header.Get("Authorization"), "Redline ")
		q.Header.Set("Authorization", pick(random, "", "Redline", "Redline ", "redline "+token, "Bearer "+token, token, "Redline  "+token, "Redline "+token+token, "Redline "+strings.TrimLeft(token, token[:min(1, len(token))])))
	},
	func(random *rand.Rand, q *http.Request) {
		q.Host = pick(random, "evil.example", "evil.example:80", "127.0.0.1.nip.io", "localhost.evil.example:1", "10.0.0.1", "0.0.0.0", "[::]:80", "[fe80::1]", "", "localhost:", "localhost:x", "127.0.0.1:80:80", "2130706433", "127.1", "user@127.0.0.1")
	},
	func(random *rand.Rand, q *http.Request) {
		q.Header.Set("Origin", pick(random, "null", "http://evil.example", "https://"+q.Host, "http://"+q.Host+".evil.example", "http://localhost:1", "", "http://"+q.Host+"/", "file://"))
	},
	func(random *rand.Rand, q *http.Request) {
		q.Header["Sec-Fetch-Site"] = [][]string{nil, {"cross-site"}, {"same-site"}, {"none"}, {""}, {"same-origin", "none"}, {"SAME-ORIGIN"}}[random.IntN(7)]
	},
}

// 10,000 requests of attackers, and of a page whose plan is another one by now: each is refused,
// shows nothing, and decides nothing.
func TestHostileRequests(t *testing.T) {
	r := begin(t)
	random := rand.New(rand.NewPCG(39, 1))
	choice := r.choice(m{"approve": m{"hunks": []string{"h1"}}})
	requests := []struct {
		method, path string
		body         any
	}{
		{"GET", "/api/plan", nil}, {"GET", "/api/file?path=f1", nil}, {"GET", "/api/hunk?id=h1", nil}, {"GET", "/api/events", nil},
		{"GET", "/api/context?path=f1&from=1&to=5", nil},
		{"POST", "/api/preview-decision", choice}, {"POST", "/api/decide", choice}, {"POST", "/api/decide", r.choice(m{"reject": m{"plan": true}})},
		{"POST", "/api/rework", r.choice(m{"text": "more"})}, {"POST", "/api/edit", r.choice(m{"path": "f1", "hunk": "h1", "text": "evil\n"})},
		{"POST", "/api/close", m{}},
	}
	const n = 10_000
	for i := range n {
		c := requests[random.IntN(len(requests))]
		q := r.request(c.method, c.path, c.body)
		if c.method == "POST" && c.path != "/api/close" && random.IntN(10) == 0 { // the page itself, with another body
			data, _ := json.Marshal(c.body)
			text := strings.Replace(string(data), r.plan.Hash, pick(random, "", "sha256:"+strings.Repeat("0", 64), r.plan.Hash[:20]), 1)
			for range random.IntN(4) {
				at := random.IntN(len(text))
				text = text[:at] + pick(random, "", "{", "\"", "\x00", "\xff", "[1e9]", "null", "../", strings.Repeat("[", 200)) + text[at:]
			}
			q.Body = io.NopCloser(strings.NewReader(text))
		} else {
			for _, i := range random.Perm(len(attacks))[:1+random.IntN(3)] { // each once: two could undo each other
				attacks[i](random, q)
			}
		}
		w := httptest.NewRecorder()
		r.Handler().ServeHTTP(w, q)
		answer := w.Body.String()
		if w.Code < 400 || w.Code >= 500 || strings.Contains(answer, "Total") || strings.Contains(answer, r.Token()) {
			t.Fatalf("request %d, %s %s %v: %d %s", i, c.method, c.path, q.Header, w.Code, answer)
		}
	}
	select {
	case <-r.Ended():
		t.Error("the review has ended")
	default:
	}
	if p := r.PlanNow(1); p.State != r.plan.State || p.Revision != 1 || p.Files[0].Status != "pending" {
		t.Errorf("%+v", p)
	}
	if got := r.Read("shop.go"); got != files["shop.go"] {
		t.Error(got)
	}
}
