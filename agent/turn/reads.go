package turn

import (
	"fmt"
	"strings"
	"sync"

	"redline/agent/recall"
	"redline/internal/fence"
	"redline/workspace/secrets"
)

// reads are the lines that a turn has read, for the next one. Several specialists may read at the
// same time.
type reads struct {
	mu  sync.Mutex
	all recall.Read
}

func (r *reads) add(path, text string, first, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Add(path, text, first, last)
}

// value returns what was read so far.
func (r *reads) value() recall.Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	return recall.DecodeRead(r.all.Encode()) // a copy
}

// saw notes lines that a tool has shown, unless the file may hold secrets.
func (w *work) saw(path, text string, first, last int) {
	if !w.ws.Secret(path) && !secrets.Text(path, text) {
		w.turn.reads.add(path, text, first, last)
	}
}

// known returns the lines that earlier turns of the conversation have read and that are still the
// same in the turn's draft, the newest first.
func (w *work) known() []recall.Known {
	return w.turn.Conversation.Memory.Value().Read().In(func(path string) (string, bool) {
		if w.ws.Secret(path) || w.ws.OffLimits(path) != nil {
			return "", false
		}
		text, exists, err := w.env.Draft.Read(path)
		return text, err == nil && exists && !secrets.Text(path, text)
	})
}

// maxKnown is how many places are named in a request, and maxKnownText how many bytes of their
// texts a plan in words begins with.
const (
	maxKnown     = 30
	maxKnownText = 24 << 10
)

// knownPlaces names the lines that earlier turns have read, for the context of a request.
func (w *work) knownPlaces() (lines []string) {
	if w.builtin() {
		return nil
	}
	for i, k := range w.known() {
		if i == maxKnown {
			break
		}
		lines = append(lines, k.String())
	}
	return lines
}

// knownTexts quotes the lines that earlier turns have read, as they are now, for the turn that
// works out a plan; "" for none. Those that have no room are named.
func (w *work) knownTexts() string {
	var b strings.Builder
	var rest []string
	for _, k := range w.known() {
		if b.Len()+len(k.Text) > maxKnownText {
			rest = append(rest, k.String())
			continue
		}
		marks := fence.Around(k.Text)
		fmt.Fprintf(&b, "%s lines %d-%d of %d:\n%s\n%s\n%s\n", k.Path, k.First, k.Last, k.Of, marks, strings.TrimSuffix(k.Text, "\n"), marks)
		w.saw(k.Path, k.Whole, k.First, k.Last)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "Read too, and unchanged: %s\n", strings.Join(rest[:min(len(rest), maxKnown)], ", "))
	}
	if b.Len() == 0 {
		return ""
	}
	return "What was read for it, as it is now; do not read it again:\n" + b.String()
}
