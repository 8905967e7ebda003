package main

import (
	"runtime/debug"
	"testing"
)

func TestBuiltFrom(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	checkout := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified},
		}}
	}
	for name, c := range map[string]struct {
		commit string
		info   *debug.BuildInfo
		want   string
	}{
		"a release":                {revision, checkout("false"), "release of commit 0123456789ab"},
		"a checkout":               {"", checkout("false"), "commit 0123456789ab"},
		"a checkout with changes":  {"", checkout("true"), "commit 0123456789ab with changes"},
		"an archive of the source": {"", &debug.BuildInfo{}, ""},
		"no information":           {"", nil, ""},
		"a commit of few digits":   {"0123", nil, "release of commit 0123"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func(before string) { commit = before }(commit)
			commit = c.commit
			if got := builtFrom(c.info); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
