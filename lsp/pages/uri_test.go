package pages

import "testing"

func TestParseVirtual(t *testing.T) {
	for uri, want := range map[string]VirtualName{
		"redline:/plan/7/proposed/a/b.go":        {plan: 7, view: viewProposed, path: "a/b.go"},
		"redline:/plan/12/base/a%20b%25.go":      {plan: 12, view: viewBase, path: "a b%.go"},
		"redline:///plan/7/proposed/a/b.go":      {plan: 7, view: viewProposed, path: "a/b.go"},
		"redline:/plan/7/proposed/a%2Fb%3Fc%23d": {plan: 7, view: viewProposed, path: "a/b?c#d"},
		"redline:/plan/7/r12/a/b.go":             {plan: 7, revision: 12, path: "a/b.go"},
		"redline:/plan/7/r1/a.go?to=2":           {plan: 7, revision: 1, path: "a.go", to: 2},
		"redline:/plan/7/r1/a.go?to%3D2":         {plan: 7, revision: 1, path: "a.go", to: 2},
		"redline:/plan/7/r2/a.go?from=1":         {plan: 7, revision: 2, path: "a.go", from: 1},
		"redline:/plan/7/proposed/%C3%A4.txt":    {plan: 7, view: viewProposed, path: "ä.txt"},
	} {
		if got, ok := ParseVirtual(uri); !ok || got != want {
			t.Errorf("parseVirtual(%q) = %+v, %v, want %+v", uri, got, ok, want)
		}
	}
	for _, uri := range []string{
		"", "redline:", "redline:/", "redline:/plan/7/proposed", "redline:/plan/7/proposed/", "redline:/plan/0/proposed/a",
		"redline:/plan/x/proposed/a", "redline:/plan/7/live/a", "redline://plan/7/proposed/a", "redline:plan/7/proposed/a",
		"file:///plan/7/proposed/a", "redline:/plan/99999999999999999999/base/a", "redline:/plan/7/proposed/%zz", ":",
		"redline:/plan/7/r0/a", "redline:/plan/7/r/a", "redline:/plan/7/r-1/a", "redline:/plan/7/r1/", "redline:/plan/7/2/a",
		"redline:/plan/7/r1/a?to=x", "redline:/plan/7/r1/a?from=0", "redline:/plan/7/r1/a?from=1&to=2",
	} {
		if got, ok := ParseVirtual(uri); ok {
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
			name := VirtualName{plan: plan, view: view, path: path}
			if got, ok := ParseVirtual(name.String()); !ok || got != name {
				t.Errorf("%q is read as %+v, %v, want %+v", name.String(), got, ok, name)
			}
		}
		was, is := ComparedNames(plan, 1, 2, path)
		for _, name := range []VirtualName{was, is} {
			if got, ok := ParseVirtual(name.String()); !ok || got != name {
				t.Errorf("%q is read as %+v, %v, want %+v", name.String(), got, ok, name)
			}
		}
	})
}
