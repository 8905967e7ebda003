package gitremote_test

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"redline/internal/sshtest"
)

// web serves the repositories of the team's folder by git http-backend, and returns the address.
// before may answer a request itself.
func (tm *team) web(before func(http.ResponseWriter, *http.Request) bool) string {
	tm.t.Helper()
	program := filepath.Join(tm.git(tm.dir, "--exec-path"), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		tm.t.Skip("git http-backend is not installed: install all of Git to run this test")
	}
	backend := &cgi.Handler{Path: program, Env: []string{"GIT_PROJECT_ROOT=" + tm.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + tm.dir}, Stderr: testLog{tm}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if before == nil || !before(w, req) {
			backend.ServeHTTP(w, req)
		}
	}))
	tm.t.Cleanup(server.Close)
	return server.URL
}

type testLog struct{ *team }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// shell lets an sshd of its own answer at a port of this machine, and returns the address.
func (tm *team) shell() string {
	tm.t.Helper()
	server := sshtest.Start(tm.t)
	tm.t.Setenv("PATH", server.Bin+":"+os.Getenv("PATH"))
	return "ssh://" + server.User + "@127.0.0.1:" + strconv.Itoa(server.Port)
}
