package config

import (
	"cmp"
	"errors"
	"strings"

	"redline/internal/lazyregexp"
)

// Share says how plans are shared through a Git remote.
type Share struct {
	Branch string // share.branch: the branches that plans are on, "" for refs of their own
}

// shareKeys are the settings of the table [share]: how plans are shared.
var shareKeys = []key{
	{name: "share.branch", kind: branch(func(s *Settings) *string { return &s.Share.Branch }),
		about: "keep shared plans on branches below this name, where a code host refuses refs in `refs/redline/plans`. Everybody who shares the plans needs the same; a plain `git fetch` gets such branches", see: "../teams.md#share-plans", example: `"redline/plans"`},
}

var branchName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_/-]*$`)

// branch is the beginning of the names of branches.
func branch(at func(*Settings) *string) kind {
	return kind{
		values: "the beginning of a branch's name",
		set: func(s *Settings, value string) error {
			name := strings.Trim(strings.TrimSpace(value), "/")
			if name != "" && (!branchName().MatchString(name) || strings.Contains(name, "//")) {
				return errors.New("must be the beginning of a branch's name, of letters, digits, - and /")
			}
			*at(s) = name
			return nil
		},
		reset: func(s *Settings) { *at(s) = "" },
		show:  func(s Settings) string { return cmp.Or(*at(&s), "(none: refs/redline/plans)") },
	}
}
