package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Failed is the error if git failed. Text is the first line of its messages, which may
// quote content of the repository.
type Failed struct {
	Text string
	Code int // the exit code
}

func (f *Failed) Error() string { return "git: " + f.Text }

// exitCode returns the exit code of git, -1 if err contains none.
func exitCode(err error) int {
	var failed *Failed
	if errors.As(err, &failed) {
		return failed.Code
	}
	return -1
}

// maxStderr is how many bytes of git's messages are read.
const maxStderr = 8 << 10

// output is the output of git.
type output struct {
	text []byte
	cut  bool // there was more output than the limit
}

// environ returns the environment of git: that of this process without the variables that
// change what git does or runs.
func (v *view) environ() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		switch name {
		case "PATH", "HOME", "XDG_CONFIG_HOME", "LANGUAGE", "LANG", "PAGER", "EDITOR", "VISUAL", "SSH_ASKPASS":
			continue
		}
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "LC_") {
			env = append(env, entry)
		}
	}
	return append(env,
		"PATH="+v.path, "HOME="+v.dir, "XDG_CONFIG_HOME="+v.dir, "LC_ALL=C",
		"GIT_DIR="+v.dir, "GIT_WORK_TREE="+v.top,
		"GIT_OBJECT_DIRECTORY="+filepath.Join(v.common, "objects"), "GIT_INDEX_FILE="+filepath.Join(v.own, "index"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat",
	)
}

// git runs git in the workspace folder and returns the first limit bytes of its output.
// It kills git if there is more. in may be nil. The error is a [*Failed], that of the
// context, or says why git did not start.
func (v *view) git(in io.Reader, limit int, args ...string) (output, error) {
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.program, append([]string{"--no-pager"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = v.folder, v.env, in, time.Second
	var out, messages bounded
	out.limit, out.full = limit, cancel
	messages.limit = maxStderr
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := run(cmd)
	result := output{text: out.Bytes(), cut: out.cut}
	var exit *exec.ExitError
	switch {
	case v.ctx.Err() != nil:
		return result, context.Cause(v.ctx)
	case out.cut || err == nil:
		return result, nil
	case errors.As(err, &exit):
		line, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n")
		return result, &Failed{Text: line, Code: exit.ExitCode()}
	}
	return result, err
}

// bounded keeps the first bytes written to it.
type bounded struct {
	bytes.Buffer
	limit int
	cut   bool
	full  func() // called once when more is written than fits; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.limit-b.Len())
	b.Buffer.Write(p[:fits])
	if fits < len(p) && !b.cut {
		b.cut = true
		if b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}
