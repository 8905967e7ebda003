// Package sshtest runs a real sshd on loopback for a test, with keys and settings of its own, and
// the ssh client that reaches it.
package sshtest

import (
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is an sshd that lets in who has its key.
type Server struct {
	User string // the name to log in with: that of the person who runs the test
	Port int    // on 127.0.0.1
	Bin  string // a folder for the PATH with `ssh`, which has the key and knows the server
	Log  string // the file with what sshd says

	daemon, config string
}

// Start starts a server, which ends with the test. Its sessions have the variables of env, each
// `NAME=VALUE`, in place of the usual ones. It skips the test where OpenSSH is not installed.
func Start(t testing.TB, env ...string) *Server {
	t.Helper()
	s := &Server{daemon: program("sshd")}
	client, keys := program("ssh"), program("ssh-keygen")
	if s.daemon == "" || client == "" || keys == "" {
		t.Skip("ssh and sshd are not here: install openssh-server to run this test")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.User, s.Port = me.Username, listener.Addr().(*net.TCPAddr).Port
	s.Bin, s.Log, s.config = filepath.Join(dir, "bin"), filepath.Join(dir, "sshd.log"), filepath.Join(dir, "sshd_config")
	for _, name := range []string{"host", "key"} {
		if out, err := exec.Command(keys, "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	host, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	settings := "HostKey " + dir + "/host\nAuthorizedKeysFile " + dir + "/key.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n" +
		"PidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
	if len(env) > 0 {
		settings += `SetEnv "` + strings.Join(env, `" "`) + "\"\n"
	}
	write(t, s.config, settings, 0o600)
	write(t, filepath.Join(dir, "known"), "[127.0.0.1]:"+strconv.Itoa(s.Port)+" "+string(host), 0o600)
	write(t, filepath.Join(dir, "ssh_config"), "Host *\n IdentityFile "+dir+"/key\n IdentitiesOnly yes\n UserKnownHostsFile "+dir+"/known\n GlobalKnownHostsFile /dev/null\n", 0o600)
	if err := os.Mkdir(s.Bin, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.Bin, "ssh"), "#!/bin/sh\nexec "+client+" -F "+dir+"/ssh_config \"$@\"\n", 0o700)
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // where an sshd that root runs puts its powerless part
	}
	s.serve(t, listener)
	return s
}

// program returns where a program of OpenSSH is, empty if it is not installed. The daemon is often
// in a folder that is not on the PATH.
func program(name string) string {
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	return ""
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// serve runs an sshd for each connection until the test ends.
func (s *Server) serve(t testing.TB, listener net.Listener) {
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.answer(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
}

// answer runs sshd for one connection, to its end.
func (s *Server) answer(conn net.Conn) {
	defer conn.Close()
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		return
	}
	defer file.Close()
	messages, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer messages.Close()
	cmd := exec.Command(s.daemon, "-i", "-e", "-f", s.config)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, file, messages
	_ = cmd.Run()
}
