package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// reviewed is a review that the command line serves.
type reviewed struct {
	t           *testing.T
	dir         string
	address     string
	token       string
	revision    int
	hash        string
	ended       chan int
	out, notes  bytes.Buffer
	notesClosed chan struct{}
}

// planToReview makes a plan in a new folder, and returns the folder.
func planToReview(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	settings := filepath.Join(t.TempDir(), "config.toml")
	for name, text := range map[string]string{filepath.Join(dir, "a.txt"): "one\ntwo\n", settings: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("REDLINE_CONFIG", settings)
	t.Setenv("REDLINE_STATE_DIR", t.TempDir())
	var said bytes.Buffer
	if exit := run(t.Context(), []string{"run", "--dir", dir, `replace "one" with "1"`}, streams{in: strings.NewReader(""), out: &said, err: &said}); exit != exitWaiting {
		t.Fatalf("%d %s", exit, said.String())
	}
	return dir
}

// beginReview makes a plan in a folder and starts redline review with arguments.
func beginReview(t *testing.T, args ...string) *reviewed {
	t.Helper()
	r := &reviewed{t: t, dir: planToReview(t), ended: make(chan int, 1), notesClosed: make(chan struct{})}
	read, write := io.Pipe()
	go func() {
		r.ended <- run(t.Context(), append([]string{"review", "--dir", r.dir}, args...), streams{in: strings.NewReader(""), out: &r.out, err: write})
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	var code string
	for code == "" && lines.Scan() {
		fmt.Fprintln(&r.notes, lines.Text())
		if m := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); m != "" {
			r.address = m
		}
		code = regexp.MustCompile(`[A-Z0-9]{4}-[A-Z0-9]{4}$`).FindString(lines.Text())
	}
	go func() {
		defer close(r.notesClosed)
		for lines.Scan() {
			fmt.Fprintln(&r.notes, lines.Text())
		}
	}()
	if code == "" {
		t.Fatalf("%d %s", <-r.ended, r.notes.String())
	}
	var opened struct{ Token string }
	r.ask("POST", "api/code", map[string]any{"code": code}, &opened)
	r.token = opened.Token
	var shown struct {
		Plan struct {
			Revision int
			Hash     string
		}
	}
	r.ask("GET", "api/plan", nil, &shown)
	r.revision, r.hash = shown.Plan.Revision, shown.Plan.Hash
	return r
}

// ask sends what the page sends, which must succeed.
func (r *reviewed) ask(method, path string, body map[string]any, to any) {
	r.t.Helper()
	status, text := r.send(method, path, body)
	if status != http.StatusOK || json.Unmarshal([]byte(text), to) != nil {
		r.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

// send sends what the page sends, and returns the answer.
func (r *reviewed) send(method, path string, body map[string]any) (status int, text string) {
	r.t.Helper()
	data, _ := json.Marshal(body)
	q, err := http.NewRequest(method, r.address+path, bytes.NewReader(data))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	q.Header.Set("Origin", strings.TrimSuffix(r.address, "/"))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Redline "+r.token)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(said)
}

// decide sends a decision on the plan, or on parts of it.
func (r *reviewed) decide(verdict string, parts map[string]any) {
	r.t.Helper()
	r.ask("POST", "api/decide", map[string]any{"revision": r.revision, "hash": r.hash, verdict: parts}, &struct{}{})
}

// The review ends when the plan is decided; its exit status is that of the plan.
func TestReviewEndsWithTheDecision(t *testing.T) {
	for _, c := range []struct {
		name, said, text string
		exit             int
		do               func(*reviewed)
	}{
		{"approved", "Plan 1 is completed.", "1\ntwo\n", exitOK, func(r *reviewed) { r.decide("approve", map[string]any{"plan": true}) }},
		{"rejected", "Plan 1 is cancelled.", "one\ntwo\n", exitOK, func(r *reviewed) { r.decide("reject", map[string]any{"hunks": []string{"h1"}}) }},
		{"closed", "Plan 1 waits for your approval.", "one\ntwo\n", exitWaiting, func(r *reviewed) { r.ask("POST", "api/close", map[string]any{}, &struct{}{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := beginReview(t, "--no-open", "--wait")
			c.do(r)
			exit := <-r.ended
			<-r.notesClosed
			text, err := os.ReadFile(filepath.Join(r.dir, "a.txt"))
			if exit != c.exit || !strings.Contains(r.out.String(), c.said) || err != nil || string(text) != c.text {
				t.Errorf("%d\n%s%s%s%v", exit, r.out.String(), r.notes.String(), text, err)
			}
		})
	}
}

// The browser gets a file that leads it to the page with the token; its arguments have none.
func TestReviewOpensABrowser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the browser of this test is a shell script")
	}
	dir := t.TempDir()
	browser, copied := filepath.Join(dir, "browser"), filepath.Join(dir, "copied")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"" + copied + ".args\"\ncp \"$1\" \"" + copied + ".new\"\nmv \"" + copied + ".new\" \"" + copied + "\"\n"
	if err := os.WriteFile(browser, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", browser)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_DOWNLOAD_DIR", "")
	r := beginReview(t)
	var page []byte
	for page == nil { // the browser runs beside
		page, _ = os.ReadFile(copied)
		time.Sleep(5 * time.Millisecond)
	}
	args, err := os.ReadFile(copied + ".args")
	if err != nil || strings.Contains(string(args), r.token) || !strings.Contains(string(page), r.address+"#token="+r.token) {
		t.Errorf("%v\n%s\n%s", err, args, page)
	}
	r.ask("POST", "api/close", map[string]any{}, &struct{}{})
	if exit := <-r.ended; exit != exitWaiting {
		t.Errorf("%d", exit)
	}
	if _, err := os.Stat(strings.TrimSpace(string(args))); err == nil {
		t.Error("the file with the token stays")
	}
	<-r.notesClosed
}

// The next start removes the file for the browser of a review that was killed, and keeps that of one that runs.
func TestAKilledReviewLeavesNoFile(t *testing.T) {
	dir, home := planToReview(t), t.TempDir()
	for _, name := range []string{"HOME", "TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_DOWNLOAD_DIR", "")
	t.Setenv("BROWSER", filepath.Join(home, "no-browser"))
	doors := func() []string {
		found, _ := filepath.Glob(filepath.Join(home, "redline-review-*", "review.html"))
		return found
	}
	review := exec.Command("redline", "review", "--dir", dir)
	if err := review.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- review.Wait() }()
	defer review.Process.Kill()
	for len(doors()) == 0 {
		select {
		case err := <-ended:
			t.Fatal("the review has ended: ", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	start := func() {
		t.Helper()
		var said bytes.Buffer
		if exit := run(t.Context(), []string{"plans", "list", "--dir", dir}, streams{in: strings.NewReader(""), out: &said, err: &said}); exit != exitOK {
			t.Errorf("%d %s", exit, said.String())
		}
	}
	if start(); len(doors()) != 1 {
		t.Error("the file of a review that runs is removed")
	}
	review.Process.Kill()
	<-ended
	if start(); len(doors()) > 0 {
		t.Errorf("%s is left", doors())
	}
	if folders, _ := filepath.Glob(filepath.Join(home, "redline-review-*")); len(folders) > 0 {
		t.Errorf("%s is left", folders)
	}
}

// Without a number it is the plan that waits; what is decided cannot be reviewed.
func TestReviewFindsThePlan(t *testing.T) {
	r := beginReview(t, "--no-open")
	r.ask("POST", "api/comments", map[string]any{"revision": 1, "path": "f1", "line": 1, "side": "old", "text": "why?\nsay it"}, &struct{}{})
	r.decide("reject", map[string]any{"plan": true})
	<-r.ended
	<-r.notesClosed
	for _, c := range []struct {
		args []string
		exit int
		said string
	}{
		{nil, exitRefused, "No plan waits for a decision"},
		{[]string{"1"}, exitRefused, "Plan 1 is cancelled: nothing of it waits"},
		{[]string{"7"}, exitRefused, "no plan 7"},
		{[]string{"x"}, exitUsage, "is not a plan's number"},
		{[]string{"1", "2"}, exitUsage, "name one plan"},
		{[]string{"--port", "70000"}, exitUsage, "--port must be"},
	} {
		var said bytes.Buffer
		exit := run(t.Context(), append([]string{"review", "--dir", r.dir}, c.args...), streams{in: strings.NewReader(""), out: &said, err: &said})
		if exit != c.exit || !strings.Contains(said.String(), c.said) {
			t.Errorf("review %s: %d %s", c.args, exit, said.String())
		}
	}
	var said bytes.Buffer
	exit := run(t.Context(), []string{"plans", "show", "1", "--dir", r.dir}, streams{in: strings.NewReader(""), out: &said, err: &said})
	if want := "\nComments\na.txt, old line 1 of revision 1, by you:\n  why?\n  say it\n"; exit != exitOK || !strings.Contains(strings.ReplaceAll(said.String(), "    ", "  "), want) {
		t.Errorf("%d %s", exit, said.String())
	}
	said.Reset()
	file := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(file, []byte("what was there before, for everybody to read"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	exit = run(t.Context(), []string{"plans", "show", "1", "--dir", r.dir, "--html", file}, streams{in: strings.NewReader(""), out: &said, err: &said})
	page, err := os.ReadFile(file)
	if exit != exitOK || err != nil || !strings.Contains(string(page), `"text":"two"`) || !strings.Contains(said.String(), "Plan 1 is in ") {
		t.Errorf("%d %v %s", exit, err, said.String())
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}
