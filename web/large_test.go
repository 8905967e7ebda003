package web_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/model"
)

// A plan of 40 files and 2,000 hunks is drawn whole.
func TestLargePlan(t *testing.T) {
	files := map[string]string{}
	var calls []model.Call
	for i := range 40 {
		var was, is strings.Builder
		for k := range 50 {
			fmt.Fprintf(&was, "line %d of %d is here\n%s", k, i, strings.Repeat("same\n", 9))
			fmt.Fprintf(&is, "line %d of %d was there\n%s", k, i, strings.Repeat("same\n", 9))
		}
		name := fmt.Sprintf("f%02d.txt", i)
		files[name] = was.String()
		calls = append(calls, agenttest.Edit(name, was.String(), is.String()))
	}
	s := agenttest.New(t, files)
	s.Model.Stages(calls...)
	r := serve(t, s, s.Plan("change all"))
	for range 3 {
		began, w := time.Now(), httptest.NewRecorder()
		r.Handler().ServeHTTP(w, r.request("GET", "/api/plan", nil))
		t.Logf("%d bytes in %s", w.Body.Len(), time.Since(began))
	}
	shown := r.shown()
	hunks := 0
	for _, f := range shown.View.Files {
		hunks += len(f.Hunks)
		if f.Large {
			t.Errorf("%s has no rows", f.Path)
		}
	}
	if len(shown.View.Files) != 40 || hunks != 2000 {
		t.Errorf("%d files, %d hunks", len(shown.View.Files), hunks)
	}
}
