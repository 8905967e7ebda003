package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/peterh/liner"
)

// Control sequences of xterm: switch bracketed paste on and off, and what a terminal then sends around a
// pasted text.
const (
	pasteOn, pasteOff     = "\x1b[?2004h", "\x1b[?2004l"
	pasteBegins, pasteEnd = "\x1b[200~", "\x1b[201~"
)

const interruptKey = 3 // Ctrl-C

// What stands in a line that is edited for a line end and a tab that were pasted.
const (
	pastedLineEnd = '⏎'
	pastedTab     = '⇥'
)

// keyboard passes keys from a terminal to a line editor, a line at a time: what is typed after a line's end
// waits here. The lines of a pasted text become one line, see [keyboard.text].
type keyboard struct {
	terminal *os.File
	editor   *os.File // what the line editor reads
	to       *os.File // passes keys to the line editor
	rest     []byte   // read, and not passed yet

	paste  paste
	passes chan struct{} // closed when no keys are passed any more
	stop   context.CancelFunc
}

// newKeyboard returns the keyboard of a terminal, nil where line editors read it in a way of their own.
func newKeyboard(terminal *os.File) *keyboard {
	if runtime.GOOS == "windows" || !liner.TerminalSupported() {
		return nil
	}
	editor, to, err := os.Pipe()
	if err != nil {
		return nil
	}
	return &keyboard{terminal: terminal, editor: editor, to: to}
}

// begin passes keys on until a line has ended.
func (k *keyboard) begin() {
	if k == nil {
		return
	}
	os.Stdout.WriteString(pasteOn)
	ctx, stop := context.WithCancel(context.Background())
	k.stop, k.passes, k.paste = stop, make(chan struct{}), paste{}
	go func() {
		defer close(k.passes)
		for !k.pass() {
			if awaitInput(ctx, k.terminal); ctx.Err() != nil {
				return
			}
			keys := make([]byte, 4096)
			n, err := k.terminal.Read(keys)
			if n < 1 || err != nil {
				k.to.Close() // the input has ended
				return
			}
			k.rest = append(k.rest, keys[:n]...)
		}
	}()
}

// pass passes on what was read, up to the end of a line. It reports whether there was one.
func (k *keyboard) pass() bool {
	text, n, ended := k.paste.edit(k.rest)
	k.rest = k.rest[n:]
	if len(text) > 0 {
		_, _ = k.to.Write(text)
	}
	return ended
}

// end passes no more keys.
func (k *keyboard) end() {
	if k == nil {
		return
	}
	k.stop()
	<-k.passes
	os.Stdout.WriteString(pasteOff)
}

// text returns a line that was edited, with the line ends and tabs that were pasted.
func (k *keyboard) text(line string) string {
	if k == nil || !k.paste.any {
		return line
	}
	return strings.NewReplacer(string(pastedLineEnd), "\n", string(pastedTab), "\t").Replace(line)
}

// interrupted reports whether Ctrl-C was pressed after the end of the line, before the terminal was in its
// usual mode again, in which it would have been a signal.
func (k *keyboard) interrupted() bool {
	if k == nil {
		return false
	}
	k.rest = append(k.rest, typedKeys(k.terminal)...)
	at := bytes.LastIndexByte(k.rest, interruptKey)
	k.rest = slices.Clone(k.rest[at+1:])
	return at >= 0
}

// drop drops what was typed before now.
func (k *keyboard) drop() {
	if k != nil {
		k.rest = nil
	}
}

// paste finds the pasted texts among keys.
type paste struct {
	any   bool // a text was pasted
	in    bool // the next key belongs to a pasted text
	mark  int  // how many bytes of the sequence that begins or ends a pasted text have come
	ended byte // the last key of the pasted text, if it was one that ends a line
}

// edit returns what a line editor should read for keys, how many of them that is, and whether these end a
// line: the editor reads no more of them then.
func (p *paste) edit(keys []byte) (text []byte, n int, ended bool) {
	for n, key := range keys {
		switch {
		case p.in:
			text = p.pasted(text, key)
			continue
		case key == pasteBegins[p.mark]:
			p.mark++
		case key == pasteBegins[0]:
			p.mark = 1
		default:
			p.mark = 0
		}
		text = append(text, key) // line editors skip a sequence that they do not know
		if p.mark == len(pasteBegins) {
			p.any, p.in, p.mark, p.ended = true, true, 0, 0
		}
		if key == '\r' || key == '\n' || key == interruptKey {
			return text, n + 1, true
		}
	}
	return text, len(keys), false
}

// pasted adds a key of a pasted text.
func (p *paste) pasted(text []byte, key byte) []byte {
	before := p.ended
	p.ended = 0
	if p.mark > 0 && key != pasteEnd[p.mark] { // what came after the escape is text
		text, p.mark = append(text, pasteEnd[1:p.mark]...), 0
	}
	switch {
	case key == pasteEnd[p.mark]:
		if p.mark++; p.mark == len(pasteEnd) {
			p.in, p.mark = false, 0
		}
	case key == '\n' && before == '\r':
	case key == '\r' || key == '\n':
		text, p.ended = utf8.AppendRune(text, pastedLineEnd), key
	case key == '\t':
		text = utf8.AppendRune(text, pastedTab)
	case key >= ' ' && key != 0x7f:
		text = append(text, key)
	}
	return text
}
