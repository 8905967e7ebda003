package tool_test

import (
	"path/filepath"
	"testing"

	"redline/edits/placeholder"
)

// maxAlarms is how many lines may look like placeholders in each thousand changed files
// of real commits.
const maxAlarms = 2

// TestPlaceholdersInHistory looks for placeholders among the lines that commits add. Real
// commits leave nothing out, so each is a false alarm.
func TestPlaceholdersInHistory(t *testing.T) {
	if *historyOf == "" {
		t.Skip("name a git repository: go test ./agent/tool -run TestPlaceholdersInHistory -history PATH -v")
	}
	for _, dir := range filepath.SplitList(*historyOf) {
		repo, err := openRepository(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		commits, files, alarms := 0, 0, 0
		for _, c := range repo.commits(t, *historyCommits) {
			commits++
			for _, f := range repo.changes(t, c) {
				if f.old == "" || !isText(f.old) || !isText(f.new) {
					continue
				}
				files++
				for _, p := range placeholder.Find(f.newPath, f.old, f.new) {
					alarms++
					t.Logf("%s %s:%d: %.200s", c.id, f.newPath, p.Line, p.Text)
				}
			}
		}
		t.Logf("%s: %d commits, %d changed files, %d lines that look like placeholders", repo.dir, commits, files, alarms)
		if files > 1000 && alarms*1000 > files*maxAlarms {
			t.Errorf("%d lines of %d files look like placeholders, more than %d for each thousand", alarms, files, maxAlarms)
		}
	}
}
