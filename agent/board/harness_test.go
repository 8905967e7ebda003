package board_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
)

// session is a session whose plans are reconciled with the texts of their files.
type session struct {
	*decidetest.Session
	t *testing.T
}

func newSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	return &session{decidetest.New(t, files), t}
}

const (
	shop = decidetest.Shop
	nine = decidetest.Nine
)

func edit(path, old, new string) decidetest.Call { return decidetest.Edit(path, old, new) }

func call(tool string, args map[string]any) decidetest.Call { return decidetest.NewCall(tool, args) }

func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}
