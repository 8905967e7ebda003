package web_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// forwarded is an address whose connections lead to another one, as ssh -L makes it.
func forwarded(t *testing.T, to string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer out.Close()
				go func() {
					_, _ = io.Copy(out, in)
					_ = out.(*net.TCPConn).CloseWrite()
				}()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	return listener.Addr().String()
}

// Through a forwarded port the page opens by another port and asks for the code; with it, a decision is
// made as on this machine.
func TestThroughAForwardedPort(t *testing.T) {
	r := begin(t)
	at := forwarded(t, strings.TrimSuffix(strings.TrimPrefix(r.Address(), "http://"), "/"))
	send := func(method, path, token, body string) (int, string) {
		t.Helper()
		q, err := http.NewRequest(method, "http://"+at+path, strings.NewReader(body))
		r.Must(err)
		q.Header.Set("Origin", "http://"+at)
		q.Header.Set("Sec-Fetch-Site", "same-origin")
		q.Header.Set("Content-Type", "application/json")
		if token != "" {
			q.Header.Set("Authorization", "Redline "+token)
		}
		return r.send(q)
	}
	if status, page := send("GET", "/", "", ""); status != 200 || !strings.Contains(page, "/page.js") {
		t.Fatal(status, page)
	}
	if status, told := send("GET", "/api/plan", "", ""); status != 401 {
		t.Fatal(status, told)
	}
	status, answer := send("POST", "/api/code", "", `{"code":"`+strings.ToLower(r.Code())+`"}`)
	token := strings.Split(answer+`"""`, `"`)[3]
	if status != 200 || token != r.Token() {
		t.Fatal(status, answer)
	}
	if status, told := send("POST", "/api/decide", token, `{"revision":1,"hash":"`+r.plan.Hash+`","approve":{"files":["f2"]}}`); status != 200 {
		t.Fatal(status, told)
	}
	if got := r.Read("notes.md"); !strings.Contains(got, "Total is Add.") {
		t.Error(got)
	}
}
