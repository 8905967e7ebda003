package editors

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// A plugin that an earlier version wrote is brought up to date, file by file; what the user has
// changed or added is not touched.
func TestUpgrade(t *testing.T) {
	dir := filepath.FromSlash("/data/plugin")
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	setup := func(files map[string]string) Setup {
		s := Setup{Dir: dir, Files: []File{{Path: filepath.FromSlash("/home/init"), Text: "load it"}}}
		for name, text := range files {
			s.Files = append(s.Files, File{Path: at(name), Text: text})
		}
		return s.recorded()
	}
	disk := map[string]string{}
	read := func(path string) ([]byte, error) {
		text, ok := disk[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	paths := func(files []File) []string {
		var all []string
		for _, f := range files {
			all = append(all, f.Path)
		}
		slices.Sort(all)
		return all
	}
	check := func(what string, d Difference, missing, outdated, changed, gone []string) {
		t.Helper()
		for _, c := range []struct {
			name      string
			got, want []string
		}{
			{"missing", paths(d.Missing), missing}, {"outdated", paths(d.Outdated), outdated},
			{"changed", paths(d.Changed), changed}, {"gone", d.Gone, gone},
		} {
			for i := range c.want {
				if c.want[i] != filepath.FromSlash("/home/init") {
					c.want[i] = at(c.want[i])
				}
			}
			slices.Sort(c.want)
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%s: %s are %q, want %q", what, c.name, c.got, c.want)
			}
		}
	}

	old := setup(map[string]string{"same": "1", "lua/new": "1", "mine": "1", "lua/dropped": "1", "dropped but mine": "1"})
	check("nothing is there", old.Compare(read), []string{"same", "lua/new", "mine", "lua/dropped", "dropped but mine", recordName, filepath.FromSlash("/home/init")}, nil, nil, nil)
	for _, f := range old.Files {
		disk[f.Path] = f.Text
	}
	if d := old.Compare(read); !d.None() || len(d.Changed) > 0 {
		t.Errorf("the same version: %+v", d)
	}

	disk[at("mine")], disk[at("dropped but mine")], disk[at("added")] = "changed", "changed", "added"
	disk[filepath.FromSlash("/home/init")] = "load it, and more"
	next := setup(map[string]string{"same": "1", "lua/new": "2", "mine": "2", "fresh": "2"})
	check("the next version", next.Compare(read), []string{"fresh"}, []string{"lua/new", recordName}, []string{"mine", filepath.FromSlash("/home/init")}, []string{"lua/dropped"})

	for _, f := range next.Files { // the upgrade, after which the changed files are still the user's
		if f.Path != at("mine") && f.Path != filepath.FromSlash("/home/init") {
			disk[f.Path] = f.Text
		}
	}
	delete(disk, at("lua/dropped"))
	check("after it", next.Compare(read), nil, nil, []string{"mine", filepath.FromSlash("/home/init")}, nil)

	disk[at(recordName)] = sum([]byte("secret")) + "  ../../home/secret\n" + "nonsense\n"
	disk[filepath.FromSlash("/home/secret")] = "secret"
	check("a record that leads elsewhere", next.Compare(read), nil, []string{recordName}, []string{"mine", filepath.FromSlash("/home/init")}, nil)

	delete(disk, at(recordName))
	disk[at("lua/new")] = "1"
	check("no record", next.Compare(read), []string{recordName}, nil, []string{"lua/new", "mine", filepath.FromSlash("/home/init")}, nil)
}
