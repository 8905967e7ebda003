package gitremote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/workspace/secrets"
)

// kept are the variables of Git that the user may have set: none of them names a repository or a
// file in one.
var kept = []string{
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_HTTP_USER_AGENT", "GIT_EXEC_PATH",
}

// environ returns the environment of git: that of this process without the variables that change
// which repository it uses.
func environ(path, dir string) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		switch {
		case name == "PATH", name == "LANGUAGE", name == "LANG", name == "PAGER", name == "SSH_ASKPASS", strings.HasPrefix(name, "LC_"):
		case !strings.HasPrefix(name, "GIT_"), slices.Contains(kept, name):
			env = append(env, entry)
		}
	}
	return append(env,
		"PATH="+path, "LC_ALL=C", "GIT_DIR="+dir, "GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_PROTOCOL_FROM_USER=0", "SSH_ASKPASS_REQUIRE=never",
		"GIT_ALLOC_LIMIT=150m") // bytes that git may hold at once: a small delta can ask for any number
}

// configEnv returns the variables that say where the user's settings are.
func configEnv() (env []string) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "GIT_CONFIG_GLOBAL", name == "GIT_CONFIG_SYSTEM", name == "GIT_CONFIG_NOSYSTEM", name == "GIT_CONFIG_COUNT",
			strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
			env = append(env, entry)
		}
	}
	return env
}

// command is one run of git.
type command struct {
	args  []string
	in    []byte
	env   []string // besides that of the remote
	limit int      // bytes of its output
	asks  bool     // it asks the remote
}

// failed is the error if git failed.
type failed struct {
	text string // its messages, without secrets
	out  string // its output
	code int
}

func (f *failed) Error() string { return "git: " + f.text }

var (
	errLong  = errors.New("git printed more than Redline reads")
	errLarge = errors.New("it is larger than 100 MB, which no plan is")
)

// git runs git in the private repository and returns its output.
func (r *Remote) git(ctx context.Context, c command) ([]byte, error) {
	limit := maxLocal
	if c.asks {
		limit = maxRemote
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("git did not end within %s", limit))
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, r.program, append([]string{"--no-pager"}, c.args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.dir, append(slices.Clone(r.env), c.env...), time.Second
	cmd.Stdin = bytes.NewReader(c.in)
	out := &bounded{limit: c.limit, full: func() { cancel(errLong) }}
	messages := &bounded{limit: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, messages
	ended := make(chan struct{})
	var watching sync.WaitGroup
	fetches := c.args[0] == "fetch"
	if fetches {
		watching.Go(func() { r.watch(ended, func() { cancel(errLarge) }) })
	}
	err := run(cmd)
	close(ended)
	watching.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, context.Cause(ctx)
	case fetches && r.size() > maxFetched: // before the watch looked
		return nil, errLarge
	case errors.As(err, &exit):
		return out.Bytes(), &failed{text: secrets.WithoutUsers(strings.TrimSpace(messages.String())), out: out.String(), code: exit.ExitCode()}
	}
	return out.Bytes(), err
}

// watchEvery is how often the size of what is fetched is looked at.
const watchEvery = 50 * time.Millisecond

// watch calls tooLarge if the private repository grows over its limit.
func (r *Remote) watch(ended <-chan struct{}, tooLarge func()) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
			if r.size() > maxFetched {
				tooLarge()
				return
			}
		}
	}
}

// size returns the bytes of the objects in the private repository.
func (r *Remote) size() (total int64) {
	_ = filepath.WalkDir(filepath.Join(r.dir, "objects"), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	limit int
	full  func() // called when more is written; may be nil
}

var _ io.Writer = (*bounded)(nil)

func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.limit-b.Len())
	b.Buffer.Write(p[:fits])
	if fits < len(p) && b.full != nil {
		b.full()
	}
	return len(p), nil
}

// explained returns what a failed command of the remote means for the user.
func (r *Remote) explained(err error) error {
	f, ok := errors.AsType[*failed](err)
	if !ok {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(strings.ToLower(f.text), part) })
	}
	line := firstLine(f.text)
	switch {
	case has("host key verification failed"):
		return fmt.Errorf("ssh does not know the host of %s: connect to it once with ssh or git fetch, which show its key", r.name)
	case has("could not read username", "could not read password", "terminal prompts disabled", "authentication failed", "permission denied (", "invalid credentials", "http 403", "error: 403", "error: 401", "access denied"):
		return fmt.Errorf("%s does not let you in (%s): check that git fetch %s works without asking, by a credential helper or an ssh agent", r.Address(), line, r.name)
	case has("mismatched algorithms", "object format", "hash algorithm"):
		return fmt.Errorf("%s uses other hashes (SHA-1, SHA-256) than the repository here: Git cannot exchange objects between them", r.name)
	case has("does not appear to be a git repository", "repository not found", "not found", "no such file", "not a git repository"):
		return fmt.Errorf("there is no repository at %s: check the address of %s", r.Address(), r.name)
	case has("could not resolve host", "connection refused", "connection timed out", "failed to connect", "network is unreachable", "unable to access", "no route to host", "connection reset", "operation timed out", "could not read from remote repository", "early eof", "hung up"):
		return fmt.Errorf("%s cannot be reached (%s): check the network and the address, %s", r.name, line, r.Address())
	case has("dumb http"):
		return fmt.Errorf("the web server of %s has no git-http-backend, which sharing plans needs: use ssh, or another server", r.name)
	}
	return fmt.Errorf("%s: git failed: %s", r.name, line)
}

// firstLine returns the first line of messages that says something.
func firstLine(text string) string {
	lines := strings.Split(text, "\n")
	for _, start := range []string{"fatal: ", "error: ", "remote: "} {
		for _, line := range lines {
			if said, ok := strings.CutPrefix(strings.TrimSpace(line), start); ok && strings.TrimSpace(said) != "" {
				return strings.TrimSpace(said)
			}
		}
	}
	return strings.TrimSpace(cmp.Or(lines...))
}
