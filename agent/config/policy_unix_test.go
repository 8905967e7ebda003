//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ownedByTester(t *testing.T) {
	was := policyOwner
	policyOwner = uint32(os.Geteuid())
	t.Cleanup(func() { policyOwner = was })
}

// Only root decides what a policy is: what others could have written is none.
func TestWhoseAPolicyIs(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(path string) error
		want  string
	}{
		"all may write it":         {func(p string) error { return os.Chmod(p, 0o666) }, "others than root can write it"},
		"its group may write it":   {func(p string) error { return os.Chmod(p, 0o664) }, "others than root can write it"},
		"all may write its folder": {func(p string) error { return os.Chmod(filepath.Dir(p), 0o777) }, "others than root can write to its folder"},
		"it is another user's":     {func(string) error { policyOwner++; return nil }, "it does not belong to root"},
		"it is a folder": {func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Mkdir(p, 0o755)
		}, "it is not a file"},
		"it is too large": {func(p string) error { return os.Truncate(p, maxFileSize+1) }, "it is not a file"},
	} {
		t.Run(what, func(t *testing.T) {
			src := sources(t, "", nil, nil)
			src.Policy = policyIn(t, "[trials]\nmode = \"off\"\n")
			if err := c.spoil(src.Policy); err != nil {
				t.Fatal(err)
			}
			_, _, err := Load(src)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
