package toolset

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"redline/agent/tool"
)

func hosts(t *testing.T, text string) []Host {
	t.Helper()
	list, err := ParseHosts(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// site serves pages and is allowed by name.
func site(t *testing.T, pages map[string]http.HandlerFunc) (base string, f *fetcher) {
	t.Helper()
	mux := http.NewServeMux()
	for path, h := range pages {
		mux.HandleFunc(path, h)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, newFetcher(FetchOptions{Private: hosts(t, server.URL), MaxBytes: 1000, Timeout: 5 * time.Second})
}

func says(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}
}

func TestFetch(t *testing.T) {
	base, f := site(t, map[string]http.HandlerFunc{
		"/a":    says("text/plain; charset=utf-8", "alpha\n"),
		"/json": says("application/vnd.x+json", `{"a":1}`),
		"/pdf":  says("application/pdf", "%PDF"),
		"/bin":  says("text/plain", "a\x00b"),
		"/long": says("text/plain", strings.Repeat("x", 1001)),
		"/none": http.NotFound,
		"/to":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusFound) },
		"/loop": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) },
		"/bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1000 {
				fmt.Fprint(z, strings.Repeat("x", 10_000))
			}
			z.Close()
		},
		"/half": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		},
		"/head": func(w http.ResponseWriter, r *http.Request) {
			for name := range r.Header {
				if name != "User-Agent" && name != "Accept" && name != "Accept-Encoding" && name != "Connection" {
					fmt.Fprintln(w, name)
				}
			}
			fmt.Fprint(w, r.Method)
		},
		"/tohead": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", "a=b")
			http.Redirect(w, r, "/head", http.StatusFound)
		},
	})
	for path, want := range map[string]string{
		"/a": "alpha\n", "/a#part": "alpha\n", "/json": `{"a":1}`, "/long": strings.Repeat("x", 1000) + " cut", "/to": "alpha\n",
		"/bomb": strings.Repeat("x", 1000) + " cut", "/half": "half cut", "/tohead": "GET",
		"/pdf": "refused: BASE/pdf is application/pdf, which is no text", "/bin": "refused: BASE/bin is binary, which is no text",
		"/none": "refused: BASE/none answered 404 Not Found", "/loop": "refused: there were more than 5 redirects",
	} {
		page, err := f.Fetch(t.Context(), base+path)
		got := page.Text
		if page.Cut {
			got += " cut"
		}
		if err != nil {
			got = "error: " + err.Error()
			if _, ok := errors.AsType[*pageRefusal](err); ok {
				got = "refused: " + err.Error()
			}
		}
		if want := strings.ReplaceAll(want, "BASE", base); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	page, _ := f.Fetch(t.Context(), base+"/to")
	if page.URL != base+"/a" {
		t.Errorf("after a redirect the page is from %s", page.URL)
	}
}

// Hosts that the settings do not name are never contacted, by whatever route.
func TestOnlyWhatIsAllowed(t *testing.T) {
	asked := atomic.Int32{}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer elsewhere.Close()
	port := elsewhere.URL[strings.LastIndex(elsewhere.URL, ":"):]
	base, f := site(t, map[string]http.HandlerFunc{
		"/other": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) },
		"/file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
		"/user": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://a:b@"+r.Host+"/", http.StatusFound)
		},
		"/public": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost"+port+"/", http.StatusFound)
		},
	})
	f.config.Hosts = hosts(t, "http://localhost"+port+", http://127.0.0.2"+port+", example.com")
	for _, address := range []string{
		elsewhere.URL, "http://127.0.0.1" + port + "/", "http://localhost" + port + "/", "http://127.0.0.2" + port + "/",
		"http://[::ffff:127.0.0.2]" + port + "/", "http://2130706434" + port + "/", "http://127.2" + port + "/",
		base + "/other", base + "/file", base + "/user", base + "/public",
		"http://example.com/", "https://example.com:8443/", "https://www.example.com/", "https://example.com.evil.org/", "https://evil.org/example.com",
		"https://example.com@evil.org/", "https://u:p@example.com/", "file:///etc/passwd", "ftp://example.com/", "example.com", "//example.com/", "https:example.com",
		"javascript:alert(1)", "", "https://", "https://ex\nample.com/", "https://example.com/" + strings.Repeat("x", 3000),
	} {
		page, err := f.Fetch(t.Context(), address)
		if _, ok := errors.AsType[*pageRefusal](err); !ok {
			t.Errorf("%.60s: %+v, %v; want a refusal", address, page, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("a host that is not allowed was asked %d times", n)
	}
}

// A name is not connected to a private address, whichever of its addresses that is and
// whenever it appears.
func TestPrivateAddresses(t *testing.T) {
	asked := atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); fmt.Fprint(w, "text") }))
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	f := newFetcher(FetchOptions{Hosts: hosts(t, "http://rebound.example"+port+" http://*.wild.example"+port), Private: hosts(t, "http://intranet.example"+port), MaxBytes: 100, Timeout: 5 * time.Second})
	f.lookup = func(context.Context, string, string) ([]net.IP, error) {
		return []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP("10.0.0.1"), net.ParseIP("169.254.169.254"), net.ParseIP("fd00::1")}, nil
	}
	for _, host := range []string{"rebound.example", "a.wild.example"} {
		_, err := f.Fetch(t.Context(), "http://"+host+port+"/")
		if r, ok := errors.AsType[*pageRefusal](err); !ok || !strings.Contains(r.Reason, "private") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("a private address was asked %d times", n)
	}
	if page, err := f.Fetch(t.Context(), "http://intranet.example"+port+"/"); err != nil || page.Text != "text" {
		t.Errorf("a private host that is named: %+v, %v", page, err)
	}
}

// A public address of this machine leads to its services, as a private one does.
func TestOwnAddresses(t *testing.T) {
	f := newFetcher(FetchOptions{Hosts: hosts(t, "http://rebound.example:9"), MaxBytes: 100, Timeout: 5 * time.Second})
	f.lookup = func(context.Context, string, string) ([]net.IP, error) {
		return []net.IP{net.ParseIP("93.184.216.34")}, nil
	}
	f.own = func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("93.184.216.34")} }
	_, err := f.Fetch(t.Context(), "http://rebound.example:9/")
	if r, ok := errors.AsType[*pageRefusal](err); !ok || !strings.Contains(r.Reason, "this machine's") {
		t.Error(err)
	}
}

func TestAFetchEnds(t *testing.T) {
	begun, release := make(chan struct{}, 10), make(chan struct{})
	base, f := site(t, map[string]http.HandlerFunc{
		"/slow": func(w http.ResponseWriter, r *http.Request) { begun <- struct{}{}; <-release },
		"/drip": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "drop")
			w.(http.Flusher).Flush()
			begun <- struct{}{}
			<-release
		},
	})
	defer close(release)
	for _, path := range []string{"/slow", "/drip"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if page, err := f.Fetch(ctx, base+path); err != context.Canceled {
			t.Errorf("%s, cancelled: %+v, %v", path, page, err)
		}
	}
	f = newFetcher(FetchOptions{Private: f.config.Private, MaxBytes: 1000, Timeout: 50 * time.Millisecond})
	if _, err := f.Fetch(t.Context(), base+"/slow"); err == nil || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("too slow: %v", err)
	}
	if page, err := f.Fetch(t.Context(), base+"/drip"); err != nil || page.Text != "drop" || !page.Cut {
		t.Errorf("slow in the end: %+v, %v", page, err)
	}
	if _, err := f.Fetch(t.Context(), "http://127.0.0.1:1/"); err == nil {
		t.Error("a port that is not allowed was asked")
	}
	f.config.Private = hosts(t, "http://127.0.0.1:1")
	if _, err := f.Fetch(t.Context(), "http://127.0.0.1:1/"); err == nil || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestHosts(t *testing.T) {
	for text, want := range map[string]string{
		"go.dev, *.python.org  localhost:8080": "go.dev *.python.org localhost:8080", "GO.dev.": "go.dev", "https://a.b": "a.b", "http://a.b:81": "http://a.b:81",
		"10.0.0.1": "10.0.0.1", "[::1]:80": "[::1]:80", "": "", "*": "!", "*.com": "!", "a/b": "!", "a..b": "!", "*.10.0.0.1": "!", "a:x": "!", "u@a.b": "!", "ftp://a.b": "!", "a.*": "!",
	} {
		list, err := ParseHosts(text)
		var got []string
		for _, h := range list {
			got = append(got, h.String())
		}
		g := strings.Join(got, " ")
		if err != nil {
			g = "!"
		}
		if g != want {
			t.Errorf("%q: got %q, want %q", text, g, want)
		}
	}
	for _, c := range []struct {
		host, address string
		want          bool
	}{
		{"a.b", "https://A.B./x", true}, {"a.b", "https://a.b:443/", true}, {"a.b", "http://a.b/", false}, {"a.b", "https://x.a.b/", false},
		{"http://a.b", "http://a.b/", true}, {"http://a.b", "https://a.b/", true}, {"http://a.b", "http://a.b:443/", false},
		{"*.a.b", "https://x.y.a.b/", true}, {"*.a.b", "https://a.b/", false}, {"*.a.b", "https://xa.b/", false}, {"a.b:8443", "https://a.b:8443", true}, {"a.b:8443", "https://a.b/", false},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := hosts(t, c.host)[0].matches(u); got != c.want {
			t.Errorf("%s allows %s: %v", c.host, c.address, got)
		}
	}
}

func TestReadable(t *testing.T) {
	got, err := readable([]byte(`<!doctype html><html><head><title>The  page</title><style>x{}</style><script>if (a < b) {"</p>"}</script>
<body><h2>One &amp; two</h2><p>Some <b>bold</b>,<i> words</i>.</p><ul><li>a<li>b</ul><pre>
  x = 1
    y
</pre><table><tr><td>1<td>2</table><noscript>no</noscript><svg><text>no<svg>no</svg></text></svg><!-- no --><p>end &#x1F600;&nbsp;!`))
	if err != nil {
		t.Fatal(err)
	}
	want := "The page\n## One & two\nSome bold, words.\n- a\n- b\n  x = 1\n    y\n1 2\nend 😀 !"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// What a reader of the page would not see does not reach the model, or is visible to it.
func TestHiddenText(t *testing.T) {
	for page, want := range map[string]string{
		`<p>a<p hidden>b<p>c`:                                                                  "a\nc\n",
		`<div hidden="until-found">a<div>b</div>c</div>d`:                                      "d",
		`a<span style="display:none">b</span>c`:                                                "ac",
		`a<span style="color:red; DISPLAY : /* */ none !important">b</span>c`:                  "ac",
		`a<b style="visibility:hidden">b</b><b style="opacity:0">c</b>d`:                       "ad",
		`a<b style="font-size:0px">b</b><b style="font-size:.01em">c</b>d`:                     "ad",
		`a<b style="position:absolute;left:-9999px">b</b><b style="text-indent:-100em">c</b>d`: "acd",
		`a<b style="color:transparent">b</b>c`:                                                 "ac",
		`<b style="display:inline;opacity:0.5;font-size:9px;left:-1px;background:none">a</b>b`: "ab",
		`a<dialog>b</dialog><dialog open>c</dialog><details><summary>d</summary>e</details>`:   "acde",
		`a<template>b</template><noscript>c</noscript><iframe>d</iframe><video>e</video>f`:     "af",
		`a<ul><li hidden>b<ul><li>c</ul><li>d</ul>`:                                            "a\n- d\n",
		`<table><tr><td>a<td hidden>b<td>c</table>`:                                            "a c\n",
		`<pre>a<span hidden>b</span>c</pre>`:                                                   "ac\n",
		`a<!-- b -->c`:                                                                         "ac",
		"a\u202eb\u200bc\u001b[31md&#x202e;e&#27;f":                                            "a⟨U+202E⟩b⟨U+200B⟩c⟨U+001B⟩[31md⟨U+202E⟩e⟨U+001B⟩f",
		"a\U000e0069\U000e0067b":                                                               "a⟨U+E0069⟩⟨U+E0067⟩b",
		"hy\u00adphen&shy;ated&nbsp;and\u2009wide\u3000":                                       "hyphenated and wide",
	} {
		got, err := read(tool.Fetched{Type: "text/html"}, []byte(page))
		if err != nil || strings.TrimRight(got.Text, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s\n\tis %q, %v\n\twant %q", page, got.Text, err, want)
		}
	}
	for kind, page := range map[string]string{"text/plain": "\ufeffa\u202eb\r\n\x1b[2J\tc\rd\u00a0e\x9b", "application/json": "\ufeffa\u202eb\r\n\x1b[2J\tc\rd\u00a0e\x9b"} {
		got, err := read(tool.Fetched{Type: kind}, []byte(page))
		if want := "a⟨U+202E⟩b\r\n⟨U+001B⟩[2J\tc⟨U+000D⟩d e\ufffd"; err != nil || got.Text != want {
			t.Errorf("%s is %q, %v; want %q", kind, got.Text, err, want)
		}
	}
	_, err := read(tool.Fetched{URL: "u", Type: "text/html"}, []byte(strings.Repeat("<div>", 600)+"a"))
	if _, ok := errors.AsType[*pageRefusal](err); !ok {
		t.Errorf("a page that is nested too deep: %v", err)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("<p>a<pre>\n</pre></pre><li><h6></h6>")
	f.Fuzz(func(t *testing.T, page string) {
		p, err := read(tool.Fetched{Type: "text/html"}, []byte(page))
		if err == nil && (!utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\x1b\u202e")) {
			t.Errorf("of %q the text is %q", page, p.Text)
		}
	})
}
