package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"
	"golang.org/x/term"

	"redline/agent/store"
	"redline/internal/smallfile"
	"redline/workspace/secrets"
)

// errLineDropped is the error of a line that the user has dropped with Ctrl-C.
var errLineDropped = errors.New("the line was dropped")

// keptLines is how many lines the history has.
const keptLines = liner.HistoryLimit

// lines reads lines at the terminal of this process, with the keys of readline, completion and a
// history that is kept in the state directory. Between two lines the terminal is as it was before.
type lines struct {
	editor         *liner.State
	keys           *keyboard   // nil where the editor reads the terminal itself
	usual, editing *term.State // the modes of the terminal; nil where they cannot be changed
	file           string      // the history
}

// newLines begins to read lines. complete returns what can stand in place of the text before the
// cursor. The caller must close them.
func newLines(stateDir string, complete func(text string) []string) *lines {
	l := &lines{file: filepath.Join(stateDir, store.HistoryName)}
	fd := int(os.Stdin.Fd())
	l.usual, _ = term.GetState(fd)
	l.editor, l.keys = newEditor()
	l.editing, _ = term.GetState(fd)
	l.editor.SetCtrlCAborts(true)
	l.editor.SetMultiLineMode(true)
	l.editor.SetTabCompletionStyle(liner.TabPrints)
	l.editor.SetWordCompleter(func(line string, pos int) (head string, words []string, tail string) {
		before := string([]rune(line)[:pos])
		return "", complete(before), line[len(before):]
	})
	l.load()
	l.change(l.usual)
	return l
}

// newEditor returns a line editor, and the keyboard that it reads.
func newEditor() (*liner.State, *keyboard) {
	keys := newKeyboard(os.Stdin)
	if keys != nil { // the editor has no other way to read from a file
		defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
		os.Stdin = keys.editor
	}
	return liner.NewLiner(), keys
}

// change sets the mode of the terminal.
func (l *lines) change(to *term.State) {
	if to != nil {
		_ = term.Restore(int(os.Stdin.Fd()), to)
	}
}

func (l *lines) close() {
	l.editor.Close()
	l.change(l.usual)
}

// read reads a line, and those that follow one that ends with a backslash, without the space around
// them. A pasted text of several lines counts as one. The error is [errLineDropped], the context's, or says
// that the input has ended.
func (l *lines) read(ctx context.Context, prompt string) (string, error) {
	l.change(l.editing)
	defer l.change(l.usual)
	var all []string
	for {
		line, err := l.one(ctx, prompt)
		if err != nil {
			return "", err
		}
		part, more := strings.CutSuffix(line, `\`)
		all = append(all, part)
		if more {
			prompt = "      … "
			continue
		}
		text := strings.TrimSpace(strings.Join(all, "\n"))
		l.keep(text)
		return text, nil
	}
}

func (l *lines) one(ctx context.Context, prompt string) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	l.keys.begin()
	go func() {
		line, err := l.editor.Prompt(prompt)
		read <- result{line, err}
	}()
	select {
	case r := <-read:
		l.keys.end()
		if errors.Is(r.err, liner.ErrPromptAborted) {
			return "", errLineDropped
		}
		return l.keys.text(r.line), r.err
	case <-ctx.Done():
		l.keys.end()
		return "", ctx.Err()
	}
}

// interrupted reports whether the user has pressed Ctrl-C right after the line that was read: while the
// terminal was still in the mode of the editor, it was no signal.
func (l *lines) interrupted() bool { return l.keys.interrupted() }

// drop drops what was typed before now.
func (l *lines) drop() {
	l.keys.drop()
	typedKeys(os.Stdin)
}

// keep adds a request to the history, unless it may hold a secret or has several lines.
func (l *lines) keep(text string) {
	if text == "" || strings.ContainsAny(text, "\r\n") || secrets.Text("request", text) {
		return
	}
	l.editor.AppendHistory(text)
	_ = os.MkdirAll(filepath.Dir(l.file), 0o700)
	f, err := os.OpenFile(l.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // this session still has the line
	}
	_, _ = f.WriteString(text + "\n")
	f.Close()
}

// load reads the history, and shortens a long file.
func (l *lines) load() {
	text, err := smallfile.Read(l.file, maxHistory)
	if err != nil {
		return
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(all) > 2*keptLines {
		all = all[len(all)-keptLines:]
		_ = os.WriteFile(l.file, []byte(strings.Join(all, "\n")+"\n"), 0o600)
	}
	for _, line := range all {
		l.editor.AppendHistory(line)
	}
}

// maxHistory is the size limit of a history that is read, in bytes.
const maxHistory = 4 << 20
