package turn

import (
	"encoding/json"
	"fmt"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
	"redline/internal/phrase"
)

// removeComment stages the removal of the comment that asked for the plan.
func removeComment(d *draft.Draft, m conversation.Request) error {
	text, exists, err := d.Read(m.Path)
	if err != nil || !exists {
		return err
	}
	r, found := commentIn(text, m)
	if !found {
		return nil // the model has removed it itself
	}
	args, err := json.Marshal(map[string]any{
		"path": m.Path, "old_string": text[r.Remove.Start:r.Remove.End], "new_string": r.Remove.New,
	})
	if err != nil {
		return err
	}
	return d.Besides(func() error {
		_, err := d.Splice(m.Path, r.Remove, plan.Operation{Step: onlyStep, Tool: "edit_file", Args: args, Path: m.Path})
		return err
	})
}

// commentIn finds the comment that asked for the plan in the current text: the model may have
// edited above it or in it, or removed it.
func commentIn(text string, m conversation.Request) (chat.Request, bool) {
	asked := edits.NewLines(m.TextWhenAsked)
	if m.Comment.Last >= asked.Count() {
		return chat.Request{}, false
	}
	was := edits.Span{Start: asked.Line(m.Comment.First).Start, End: asked.Line(m.Comment.Last).End}
	now, _ := track.Place(m.TextWhenAsked, []edits.Span{was}, text).At(0)
	lines := edits.NewLines(text)
	for line := lines.LineOf(now.Start); line <= lines.LineOf(max(now.Start, now.End-1)); line++ {
		if r, found := chat.FindRequest(lines, line); found {
			return r, true
		}
	}
	return chat.Request{}, false
}

// commentStays tells the user that the comment could not be removed.
func commentStays(m conversation.Request, err error) string {
	return fmt.Sprintf("The comment in %s that asked for this stays, remove it yourself: %s", m.Path, phrase.SentenceOf(err))
}
