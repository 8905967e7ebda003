package gitremote_test

import (
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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
	daemon, err := exec.LookPath("sshd")
	if err != nil {
		daemon = "/usr/sbin/sshd"
	}
	client, err := exec.LookPath("ssh")
	if _, err2 := os.Stat(daemon); err != nil || err2 != nil {
		tm.t.Skip("ssh and sshd are not installed: install openssh-server to run this test")
	}
	me, err := user.Current()
	if err != nil {
		tm.t.Fatal(err)
	}
	for _, name := range []string{"host", "key"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(tm.dir, name)).CombinedOutput(); err != nil {
			tm.t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tm.t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	host, err := os.ReadFile(filepath.Join(tm.dir, "host.pub"))
	if err != nil {
		tm.t.Fatal(err)
	}
	tm.write("known", "[127.0.0.1]:"+strconv.Itoa(port)+" "+string(host))
	tm.write("sshd.conf", "HostKey "+tm.dir+"/host\nAuthorizedKeysFile "+tm.dir+"/key.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n")
	tm.write("ssh.conf", "Host *\n IdentityFile "+tm.dir+"/key\n IdentitiesOnly yes\n UserKnownHostsFile "+tm.dir+"/known\n GlobalKnownHostsFile /dev/null\n")
	tm.script("bin/ssh", "exec "+client+" -F "+tm.dir+"/ssh.conf \"$@\"")
	tm.t.Setenv("PATH", filepath.Join(tm.dir, "bin")+":"+os.Getenv("PATH"))
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // where sshd, run by root, separates its privileges
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { tm.answer(daemon, conn) })
		}
	})
	tm.t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return "ssh://" + me.Username + "@127.0.0.1:" + strconv.Itoa(port)
}

// answer runs sshd for one connection.
func (tm *team) answer(daemon string, conn net.Conn) {
	defer conn.Close()
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		return
	}
	defer file.Close()
	cmd := exec.Command(daemon, "-i", "-e", "-f", filepath.Join(tm.dir, "sshd.conf"))
	cmd.Stdin, cmd.Stdout = file, file
	messages, err := os.OpenFile(filepath.Join(tm.dir, "sshd.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer messages.Close()
	cmd.Stderr = messages
	_ = cmd.Run()
}
