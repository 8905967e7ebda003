package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

const (
	// keyPatience is how long the command that prints the key may take: a password manager may ask
	// its user for a fingerprint.
	keyPatience = time.Minute
	// maxKey is how many bytes the command may print.
	maxKey = 64 << 10
)

// runKeyCommand runs a program and returns the first line that it prints, without the spaces
// around it. Its errors are parts of a sentence. They name the program, but contain neither its
// output nor its arguments, which may hold a secret.
func runKeyCommand(ctx context.Context, command []string, patience time.Duration) (string, error) {
	name := "`" + filepath.Base(command[0]) + "`"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 100 * time.Millisecond // its child processes may keep its output open
	var out bytes.Buffer
	cmd.Stdout = &atMost{&out, maxKey}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return "", fmt.Errorf("%s did not end within %v", name, patience)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no program %s on the PATH", name)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s failed (%s)", name, exit.ProcessState)
	case out.Len() >= maxKey:
		return "", fmt.Errorf("%s printed more than a key", name)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("%s could not be run", name)
	}
	key, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n") // pass prints notes after the first line
	key = strings.TrimSpace(key)
	if key == "" {
		return "", fmt.Errorf("%s printed nothing", name)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "", fmt.Errorf("what %s printed is no key: it has spaces", name)
	}
	return key, nil
}

// atMost keeps the first bytes that are written, and drops the rest without an error: an error
// would end the program with a signal.
type atMost struct {
	to   *bytes.Buffer
	left int
}

var _ io.Writer = (*atMost)(nil)

func (w *atMost) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.to.Write(p[:n])
	w.left -= n
	return len(p), nil
}
