package toolset

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"redline/internal/leash"
)

// address is a server with a URL: the transport "Streamable HTTP" of the protocol. Each message is a
// request of its own, whose response has what the server says to it.
type address struct {
	url     string
	headers map[string]string // as configured
	client  *http.Client
	session string // as the server calls it; "" if it has no sessions
	version string // of the protocol; "" until it is agreed on
}

func newAddress(s *Server) *address {
	base := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: s.StartTimeout}).DialContext,
		TLSHandshakeTimeout: s.StartTimeout,
		IdleConnTimeout:     time.Minute,
		MaxIdleConns:        4,
	}
	return &address{url: s.URL, headers: s.Headers, client: &http.Client{
		Transport: base,
		// do not follow redirects: the user has configured no other address
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send implements [transport].
func (a *address) send(ctx context.Context, request *jsonrpc.Request, body []byte, from *client) error {
	response, err := a.do(ctx, http.MethodPost, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusal(response)
	}
	if request == nil || !request.IsCall() {
		return nil // there is no answer to an answer or a notification
	}
	if request.Method == "initialize" {
		a.session = response.Header.Get("Mcp-Session-Id")
	}
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind {
	case "application/json":
		var raw []byte
		if raw, err = io.ReadAll(response.Body); err == nil {
			err = from.receive(raw)
		}
	case "text/event-stream":
		err = readEvents(response.Body, func(raw []byte) (bool, error) {
			err := from.receive(raw)
			if errors.Is(err, errNoMessage) { // such as a sign of life
				err = nil
			}
			_, waits := from.waiting.Load(request.ID)
			return !waits, err
		})
	default:
		return fmt.Errorf("it answered with %q", oneLine(kind, maxName))
	}
	if errors.Is(err, bufio.ErrTooLong) || errors.As(err, new(*http.MaxBytesError)) {
		return errTooLarge
	}
	return cmp.Or(err, errNoReply) // which counts only if there was no answer
}

// do sends a request with the headers that the protocol wants.
func (a *address) do(ctx context.Context, method string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	if a.version != "" {
		request.Header.Set("MCP-Protocol-Version", a.version)
	}
	if a.session != "" {
		request.Header.Set("Mcp-Session-Id", a.session)
	}
	for name, value := range a.headers {
		request.Header.Set(name, value)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, 2*maxMessage)
	return response, nil
}

// refusal returns the error of a response that is none: the one in it, else its status.
func refusal(response *http.Response) error {
	var m message
	if raw, err := io.ReadAll(response.Body); err == nil && json.Unmarshal(raw, &m, fromServer) == nil && m.Error != nil {
		return m.Error
	}
	return errors.New("it answered with the status " + response.Status)
}

// agreed implements [transport].
func (a *address) agreed(version string) { a.version = version }

// end implements [transport].
func (a *address) end() {
	if a.session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if response, err := a.do(ctx, http.MethodDelete, nil); err == nil {
			response.Body.Close()
		}
	}
	a.client.CloseIdleConnections()
}

func (a *address) lastError() string { return "" }

// readEvents hands over the data of each event of a stream until take says that it has enough.
func readEvents(stream io.Reader, take func(data []byte) (enough bool, err error)) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxMessage)
	var data []byte
	for lines.Scan() { // of an event that the end of the stream cuts off, nothing counts
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		}
		if len(data) > maxMessage {
			return bufio.ErrTooLong
		}
		if len(line) > 0 || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if enough, err := take(data); enough || err != nil {
			return err
		}
		data = nil
	}
	return lines.Err()
}

// grace is how long a program may take to exit after its input is closed.
const grace = 500 * time.Millisecond

// Limits of what is logged from each of a server's outputs.
const (
	maxLoggedLines = 200
	maxLoggedLine  = 500  // bytes
	maxKeptLine    = 4000 // bytes; secrets are removed before the line is clipped
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

	stderr lineLog
	stray  lineLog // lines of the standard output that are no messages
}

// startProcess starts the program of a server. The program ends with this process, however that
// ends. It does not run in the workspace, because it might load files there as its own. What it
// writes besides messages is logged.
func startProcess(s *server) (*process, error) {
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return nil, errors.New("cannot be started: there is no program of that name in PATH")
	}
	args := slices.Clone(s.Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "${workspace}", s.all.o.Workspace())
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = homeDir()
	cmd.Env = environment(&s.Server)
	cmd.WaitDelay = grace
	p := &process{
		stderr: lineLog{of: s, what: "a tool server says"},
		stray:  lineLog{of: s, what: "a tool server wrote a line that is no message to its standard output"},
	}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, errors.New("cannot be started: " + err.Error())
	}
	out, write, err := os.Pipe() // cmd.Wait would close a pipe that it created before it is read
	if err != nil {
		return nil, errors.New("cannot be started: " + err.Error())
	}
	p.out, cmd.Stdout = out, write
	cmd.Stderr = &p.stderr
	p.held, err = leash.Hold(cmd)
	write.Close()
	if err != nil {
		out.Close()
		return nil, errors.New("cannot be started: " + reasonOf(err))
	}
	return p, nil
}

// send implements [transport]: a message is a line.
func (p *process) send(ctx context.Context, _ *jsonrpc.Request, body []byte, _ *client) error {
	done := make(chan error, 1)
	go func() { // the pipe is full as long as the program does not read; it is closed at the end
		p.writing.Lock()
		defer p.writing.Unlock()
		_, err := p.in.Write(append(body, '\n'))
		if err != nil { // it has closed its input, or ended
			err = errGone
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read hands each line that the program writes to the client, until it ends. It logs and passes over a
// line that is no message: many programs also greet, warn or log on their standard output.
func (p *process) read(to *client) error {
	lines := bufio.NewScanner(p.out)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		line := lines.Bytes()
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := to.receive(line); errors.Is(err, errNoMessage) {
			_, _ = p.stray.Write(line) // never fails
			_, _ = p.stray.Write([]byte("\n"))
		} else if err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errTooLarge
	}
	return lines.Err()
}

// lastError implements [transport]. It waits a moment for a program that is just ending.
func (p *process) lastError() string {
	p.ended(grace)
	return p.stderr.lastLine()
}

func (p *process) agreed(string) {}

// end implements [transport]. It closes the program's input, then kills the program and everything it started
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
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// lineLog logs the first lines of a program's output and remembers the last one. Its methods may be
// called from any goroutine.
type lineLog struct {
	of   *server
	what string // the program does by writing a line

	mu    sync.Mutex
	lines int    // how many were logged
	line  []byte // the beginning of an incomplete line
	last  string // the last line that is not blank
}

// Write never fails, so that the program does not stop.
func (l *lineLog) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(data) {
		if room := maxKeptLine - len(l.line); room > 0 {
			l.line = append(l.line, line[:min(len(line), room)]...)
		}
		if line[len(line)-1] == '\n' {
			l.flush()
		}
	}
	return len(data), nil
}

// flush ends a line.
func (l *lineLog) flush() {
	text := strings.TrimSpace(string(l.line))
	l.line = l.line[:0]
	if text == "" {
		return
	}
	l.last = text
	switch l.lines++; {
	case l.lines <= maxLoggedLines:
		l.of.heard(l.what, text)
	case l.lines == maxLoggedLines+1:
		l.of.heard(l.what, "(more is not logged)")
	}
}

// lastLine returns the last line that is not blank; it may be incomplete.
func (l *lineLog) lastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := strings.TrimSpace(string(l.line)); text != "" {
		return text
	}
	return l.last
}
