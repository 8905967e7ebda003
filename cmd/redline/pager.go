package main

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"redline/internal/statusline"
)

// paged prints a text. At a terminal it uses the user's pager if the text is longer than
// the screen and the console allows paging.
func (c *console) paged(text string) {
	pager := c.pager()
	if pager == "" || !longer(c.out, text) {
		io.WriteString(c.out, text)
		return
	}
	c.line.Break()
	release := c.line.Hold()
	defer release()
	cmd := inShell(pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), file(c.out), os.Stderr
	cmd.Env = os.Environ()
	if os.Getenv("LESS") == "" { // the options that git uses: quit if all fits, keep colours, leave the text on the screen
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	if cmd.Start() != nil {
		io.WriteString(c.out, text)
		return
	}
	_ = cmd.Wait() // a pager fails if the user quits early, and it handles Ctrl-C itself
	c.line.Fresh()
}

// pager returns the command line of the pager: PAGER, or else less. It returns "" if the
// output is no terminal or there is no pager.
func (c *console) pager() string {
	if !c.pages || !isTerminal(c.out) || !isTerminal(c.in) || os.Getenv("TERM") == "dumb" {
		return ""
	}
	pager, set := os.LookupEnv("PAGER")
	if _, err := exec.LookPath("less"); !set && err == nil {
		pager = "less"
	}
	if pager = strings.TrimSpace(pager); pager == "cat" {
		return ""
	}
	return pager
}

// longer reports whether a text has more rows than the terminal, minus a few for the
// lines that follow.
func longer(w io.Writer, text string) bool {
	columns, rows := statusline.Size(file(w))
	used := 0
	for line := range strings.Lines(text) {
		used += 1 + max(0, statusline.Width(strings.TrimSuffix(line, "\n"))-1)/columns
	}
	return used > rows-3
}

// inShell returns a command that runs the user's command line in a shell, with more as
// further arguments.
func inShell(line string, more ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), more...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", line + ` "$@"`, cmp.Or(strings.Fields(line)[0], "sh")}, more...)...)
}

// file returns the file behind a stream, nil if there is none.
func file(stream any) *os.File {
	switch s := stream.(type) {
	case *os.File:
		return s
	case onTerminal:
		return s.file
	}
	return nil
}
