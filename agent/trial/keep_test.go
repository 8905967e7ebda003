package trial

import (
	"slices"
	"strings"
	"testing"

	"redline/agent/commands"
	"redline/agent/plan"
)

// What a tried command has changed is kept by names; the rest is named, and nothing is kept of what failed or
// may be cut off.
func TestKept(t *testing.T) {
	zero, one := 0, 1
	found := func(code *int, filled bool) *Captured {
		return &Captured{
			Observation: commands.Observation{ExitCode: code}, Filled: filled,
			Files:      []CapturedFile{{Path: "go.mod"}, {Path: "sub/go.mod"}, {Path: "sub/gen/a.go"}, {Path: "z.txt"}},
			NotCarried: []plan.Refused{{Path: "sub/gen/bin", Reason: "it is no UTF-8 text", Tool: plan.InCopy}, {Path: "link", Reason: "it is a symbolic link", Tool: plan.InCopy}},
		}
	}
	for name, c := range map[string]struct {
		found *Captured
		keep  []string
		cwd   string
		want  string
		said  string
	}{
		"a name":        {found(&zero, false), []string{"go.mod"}, "", "go.mod sub/go.mod", "its changes to link, sub/gen/a.go, sub/gen/bin and z.txt."},
		"a path":        {found(&zero, false), []string{"./sub/go.mod"}, "", "sub/go.mod", "its changes to go.mod, link,"},
		"in its folder": {found(&zero, false), []string{"gen/**"}, "sub", "sub/gen/a.go", "Not carried: sub/gen/bin (it is no UTF-8 text). Make this change yourself."},
		"none of them":  {found(&zero, false), []string{"other/*"}, "", "", "It changed none of the files to keep."},
		"braces":        {found(&zero, false), []string{"{z,y}.txt"}, "", "z.txt", "its changes to"},
		"failed":        {found(&one, false), []string{"**"}, "", "", "since it failed"},
		"stopped":       {found(nil, false), []string{"**"}, "", "", "since it failed"},
		"full":          {found(&zero, true), []string{"**"}, "", "", "ran full"},
	} {
		kept := c.found.kept(c.keep, Command{Cwd: c.cwd})
		var paths []string
		for _, f := range kept.Files {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, " "); got != c.want || !strings.Contains(strings.Join(kept.Sentences(), "\n"), c.said) {
			t.Errorf("%s: %q, want %q; %q", name, got, c.want, kept.Sentences())
		}
	}
	if kept := found(&zero, false).kept([]string{"**"}, Command{}); len(kept.Files) != 4 || len(kept.NotCarried) != 2 || kept.Others != nil || kept.Bounded() != nil {
		t.Errorf("%+v", kept)
	}
	if (&Kept{Files: slices.Repeat([]CapturedFile{{}}, MostKept+1)}).Bounded() == nil {
		t.Error("very many files are kept")
	}
}

// A command whose changes are to be kept needs what every trial needs, and globs that mean something.
func TestKeepingRefuses(t *testing.T) {
	f := newCapturing(t, nil)
	f.trials.options.Mode = Ask
	if _, _, err := (Keeping{f.trials, []string{"a"}}).Run(t.Context(), Command{Line: "make"}, nil, nil, "", nil); err == nil {
		t.Error("nobody has allowed it")
	}
	f.trials.options.Mode = On
	if _, _, err := (Keeping{f.trials, []string{"["}}).Run(t.Context(), Command{Line: "make"}, nil, nil, "", nil); err == nil || !strings.Contains(err.Error(), "not a valid glob") {
		t.Error(err)
	}
}
