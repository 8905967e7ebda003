package virtual

import "testing"

func TestParseVirtual(t *testing.T) {
	for uri, want := range map[string]Name{
		"redline:/plan/7/proposed/a/b.go":        {7, viewProposed, "a/b.go"},
		"redline:/plan/12/base/a%20b%25.go":      {12, viewBase, "a b%.go"},
		"redline:///plan/7/proposed/a/b.go":      {7, viewProposed, "a/b.go"},
		"redline:/plan/7/proposed/a%2Fb%3Fc%23d": {7, viewProposed, "a/b?c#d"},
		"redline:/plan/7/proposed/%C3%A4.txt":    {7, viewProposed, "ä.txt"},
	} {
		if got, ok := Parse(uri); !ok || got != want {
			t.Errorf("parseVirtual(%q) = %+v, %v, want %+v", uri, got, ok, want)
		}
	}
	for _, uri := range []string{
		"", "redline:", "redline:/", "redline:/plan/7/proposed", "redline:/plan/7/proposed/", "redline:/plan/0/proposed/a",
		"redline:/plan/x/proposed/a", "redline:/plan/7/live/a", "redline://plan/7/proposed/a", "redline:plan/7/proposed/a",
		"file:///plan/7/proposed/a", "redline:/plan/99999999999999999999/base/a", "redline:/plan/7/proposed/%zz", ":",
	} {
		if got, ok := Parse(uri); ok {
			t.Errorf("parseVirtual(%q) = %+v, want none", uri, got)
		}
	}
}

func FuzzVirtualName(f *testing.F) {
	f.Add(7, "a/b c.go")
	f.Add(1, "%?#ä\x00")
	f.Add(1, "//x")
	f.Fuzz(func(t *testing.T, plan int, path string) {
		if plan <= 0 || path == "" {
			return
		}
		for _, view := range []string{viewBase, viewProposed} {
			name := Name{plan, view, path}
			if got, ok := Parse(name.String()); !ok || got != name {
				t.Errorf("%q is read as %+v, %v, want %+v", name.String(), got, ok, name)
			}
		}
	})
}
