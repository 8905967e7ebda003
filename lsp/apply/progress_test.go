package apply_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"redline/edits"
)

// Each change is reported once its text has it; those of one request are reported together.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name          string
		transactional bool
		want          []int
	}{
		{"a request for each file", false, []int{1, 2, 3}},
		{"one request", true, []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			var changes []edits.Change
			for i := range 3 {
				name := fmt.Sprintf("f%d", i)
				files[name] = "a\n"
				changes = append(changes, edits.Change{Path: name, Base: "a\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "b"}}})
			}
			client := everything
			client.Transactional = c.transactional
			h := newHarness(t, client, files)
			left := changes
			h.client.answer = func() string { // each request has one change, or all
				n := 1
				if c.transactional {
					n = len(left)
				}
				for _, one := range left[:n] {
					if err := os.WriteFile(filepath.Join(h.dir, one.Path), []byte("b\n"), 0o644); err != nil {
						t.Error(err)
					}
				}
				left = left[n:]
				return `{"applied":true}`
			}
			var told []int
			if _, err := h.Apply(t.Context(), changes, func(n int) { told = append(told, n) }); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(told, c.want) {
				t.Errorf("reported are %v changes, want %v", told, c.want)
			}
		})
	}
}
