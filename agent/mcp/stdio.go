package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"redline/internal/leash"
)

// grace is how long a program may take to exit after its input is closed.
const grace = 500 * time.Millisecond

// Limits of what is logged from a server's standard error.
const (
	maxStderrLines = 200
	maxStderrLine  = 500 // bytes
)

// usualEnv are the variables that every program gets. None of them is the model's key.
var usualEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME",
	"SYSTEMROOT", "SystemRoot", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "ComSpec", "ProgramFiles",
}

// process is a running program with its two pipes.
type process struct {
	held *leash.Held
	in   io.WriteCloser
	out  io.ReadCloser
	once sync.Once

	writing sync.Mutex // locked while a message is written
}

// startProcess starts the program of a server. The program ends with this process, however that
// ends. It does not run in the workspace, because it might load files there as its own.
func startProcess(s *Server, workspace string, say func(line string)) (*process, error) {
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return nil, errors.New("cannot be started: there is no program of that name in PATH")
	}
	args := make([]string, len(s.Args))
	for i, arg := range s.Args {
		args[i] = strings.ReplaceAll(arg, "${workspace}", workspace)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = homeDir()
	cmd.Env = environment(s)
	cmd.WaitDelay = grace
	p := &process{}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, errors.New("cannot be started: " + err.Error())
	}
	out, write, err := os.Pipe() // cmd.Wait would close a pipe that it created before it is read
	if err != nil {
		return nil, errors.New("cannot be started: " + err.Error())
	}
	p.out, cmd.Stdout = out, write
	cmd.Stderr = &lineLog{say: say}
	p.held, err = leash.Hold(cmd)
	write.Close()
	if err != nil {
		out.Close()
		return nil, errors.New("cannot be started: " + reasonOf(err))
	}
	return p, nil
}

// send implements [transport]: a message is a line.
func (p *process) send(ctx context.Context, m *message, _ func([]byte) error) error {
	line, err := m.encode()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { // the pipe is full as long as the program does not read; it is closed at the end
		p.writing.Lock()
		defer p.writing.Unlock()
		_, err := p.in.Write(append(line, '\n'))
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read hands over each line that the program writes, until it ends.
func (p *process) read(receive func([]byte) error) error {
	lines := bufio.NewScanner(p.out)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := receive(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (p *process) agreed(string) {}

// close implements [transport]. What ends the program is end.
func (p *process) close() {}

// end closes the program's input, then kills the program and everything it started
// unless it exits soon.
func (p *process) end() {
	p.once.Do(func() {
		p.in.Close()
		p.ended(grace)
		p.held.End() // with everything that it started
		if !p.ended(2 * grace) {
			p.held.Kill()
			p.ended(grace)
		}
		p.out.Close()
	})
}

// ended waits up to within for the program to end, and reports whether it has.
func (p *process) ended(within time.Duration) bool {
	select {
	case <-p.held.Exited():
		return true
	case <-time.After(within):
		return false
	}
}

func environment(s *Server) []string {
	var env []string
	for _, name := range usualEnv {
		if value, ok := os.LookupEnv(name); ok && s.Env[name] == "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	return env
}

func homeDir() string {
	if home, err := os.UserHomeDir(); err == nil {
		if info, err := os.Stat(home); err == nil && info.IsDir() {
			return home
		}
	}
	return os.TempDir()
}

func reasonOf(err error) string {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// lineLog logs a few lines of a program's standard error.
type lineLog struct {
	say   func(string)
	lines int
	line  []byte
}

// Write never fails, so that the program does not stop.
func (l *lineLog) Write(data []byte) (int, error) {
	if l.lines >= maxStderrLines {
		return len(data), nil
	}
	for rest := data; len(rest) > 0 && l.lines < maxStderrLines; {
		n, text, err := bufio.ScanLines(rest, false)
		if err != nil || n == 0 { // an incomplete line
			text, n = rest, len(rest)
		}
		if room := maxStderrLine - len(l.line); room > 0 {
			l.line = append(l.line, text[:min(len(text), room)]...)
		}
		if rest[n-1] == '\n' {
			l.flush()
		}
		rest = rest[n:]
	}
	return len(data), nil
}

func (l *lineLog) flush() {
	l.lines++
	if text := oneLine(string(l.line), maxStderrLine); text != "" {
		l.say(text)
	}
	if l.lines == maxStderrLines {
		l.say("(more is not logged)")
	}
	l.line = l.line[:0]
}
