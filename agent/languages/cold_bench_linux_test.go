package languages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
)

// thinks is how long the model of [BenchmarkColdTurn] takes for a reply.
const thinks = 3 * time.Second

// slow is a model that takes its time.
type slow struct{ *agenttest.Script }

func (m slow) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	time.Sleep(thinks)
	return m.Script.Complete(ctx, r, on)
}

// BenchmarkColdTurn runs the first turn of a session, by a model that takes three seconds for a reply: it reads the file that
// the message names, breaks the callers of what that defines, and says that it is done. In turns with it, "unread" names and
// reads a file of another kind: then the server starts with the edit. Reported is how many turns hear of the errors with the
// edit, how many by the end, and how long after the turn the plan is checked.
func BenchmarkColdTurn(b *testing.B) {
	besides(b, func(b *testing.B, a *asking) {
		turn := func(file string, atEdit, atEnd *float64, late *[]time.Duration) {
			m := &agenttest.Script{}
			dir := a.folder(b)
			writeAll(b, dir, map[string]string{"notes.txt": "nothing\n"})
			s := sessionWith(b, dir, slow{m})
			m.Will(
				agenttest.Reply{Calls: []model.Call{read(file)}},
				agenttest.Reply{Calls: []model.Call{agenttest.Call("write_file", map[string]any{"path": a.defines[0], "content": a.text(a.defines[0], 1)})}},
				agenttest.Reply{Text: "Done."}, agenttest.Reply{Text: "They stay."},
			)
			id, _, err := s.Turns.Send(conversation.Message{Text: "make it T1 as in @" + file, Client: "test"})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Conversations.Wait(b.Context(), id); err != nil {
				b.Fatal(err)
			}
			took(late, func() { s.Languages.Await(b.Context(), 1) })
			for i, r := range m.Asked() {
				if last := r.Messages[len(r.Messages)-1].Content; strings.Contains(last, fmt.Sprintf("adds %d errors", callers)) {
					*atEnd++
					if i == 2 {
						*atEdit++
					}
					break
				}
			}
			s.Close()
		}
		var late, unreadLate []time.Duration
		var readEdit, readEnd, unreadEdit, unreadEnd, n float64
		for b.Loop() {
			turn(a.defines[0], &readEdit, &readEnd, &late)
			turn("notes.txt", &unreadEdit, &unreadEnd, &unreadLate)
			n++
		}
		b.ReportMetric(0, "ns/op") // of all together
		b.ReportMetric(readEdit/n, "heard-with-edit")
		b.ReportMetric(readEnd/n, "heard")
		b.ReportMetric(middle(late), "late-ms")
		b.ReportMetric(unreadEdit/n, "unread-heard-with-edit")
		b.ReportMetric(unreadEnd/n, "unread-heard")
		b.ReportMetric(middle(unreadLate), "unread-late-ms")
	})
}
