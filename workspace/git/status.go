package git

import (
	"context"
	"slices"
	"strings"
)

// Status lists how the files of a workspace folder on disk differ from the last commit.
type Status struct {
	Branch    string // "" if HEAD is a commit, not a branch
	Commit    string // hash of the last commit, "" if there is none yet
	Changed   []Changed
	Untracked int      // number of files that are neither tracked nor ignored; a folder with only such files counts once
	Names     []string // names of the first untracked files; folders end with "/"
	More      bool     // there are more than these numbers say
}

// Changed is a file that differs between two commits, or between a commit and the disk.
type Changed struct {
	Path    string
	OldPath string // the earlier path of a renamed or copied file, else ""
	Kind    Kind
	Old     string // object of the text before, "" if the file did not exist
	New     string // object of the text after, "" if the file does not exist or is on disk
	Link    bool   // it is or was a symbolic link, whose text is the target
}

// Kind is the kind of a change to a file.
type Kind string

// The kinds.
const (
	Modified Kind = "modified"
	Added    Kind = "added"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
	Copied   Kind = "copied"
	Retyped  Kind = "type changed" // for example, a file became a link
	Conflict Kind = "in conflict"
)

// Limits of a status.
const (
	maxStatus = 4 << 20 // bytes to read
	maxNames  = 100     // untracked files to name
)

// Status compares the files on disk with the last commit. It does not read untracked files.
func (r *Repo) Status(ctx context.Context) (Status, error) {
	v, err := r.open(ctx, headOnly)
	if err != nil {
		return Status{}, err
	}
	defer v.close()
	return v.status()
}

func (v *view) status() (Status, error) {
	out, err := v.git(nil, maxStatus, "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
		"--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--", ".")
	if err != nil {
		return Status{}, err
	}
	return parseStatus(string(out.text), v.prefix, out.cut), nil
}

// parseStatus parses porcelain version 2 of git-status(1), with a NUL at the end of each entry:
//
//	# branch.head main
//	1 .M N... 100644 100644 100644 HASH HASH a.go
//	? new.go
func parseStatus(text, prefix string, cut bool) Status {
	s := Status{More: cut}
	for {
		entry, rest, ok := strings.Cut(text, "\x00")
		if !ok {
			return s
		}
		text = rest
		kind, value, _ := strings.Cut(entry, " ")
		switch kind {
		case "#":
			name, value, _ := strings.Cut(value, " ")
			switch {
			case name == "branch.head" && value != "(detached)":
				s.Branch = value
			case name == "branch.oid" && value != "(initial)":
				s.Commit = value
			}
		case "1": // XY sub mH mI mW hH hI path
			if f := strings.SplitN(value, " ", 8); len(f) == 8 {
				s.add(f[0], f[5], f[7], prefix, isLink(f[2:5]))
			}
		case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path
			if f := strings.SplitN(value, " ", 10); len(f) == 10 {
				s.add("UU", f[7], f[9], prefix, isLink(f[2:6]))
			}
		case "?":
			s.Untracked++
			if path, ok := strings.CutPrefix(value, prefix); ok && len(s.Names) < maxNames {
				s.Names = append(s.Names, path)
			}
		}
	}
}

func isLink(modes []string) bool { return slices.Contains(modes, "120000") }

func (s *Status) add(xy, object, path, prefix string, link bool) {
	path, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return
	}
	c := Changed{Path: path, Old: present(object), Kind: Modified, Link: link}
	switch {
	case xy == "UU":
		c.Kind = Conflict
	case strings.Contains(xy, "D"):
		c.Kind = Deleted
	case strings.Contains(xy, "A"):
		c.Kind = Added
	case strings.Contains(xy, "T"):
		c.Kind = Retyped
	}
	s.Changed = append(s.Changed, c)
}

// present returns the hash of an object, "" for the hash that means no object.
func present(object string) string {
	if strings.Trim(object, "0") == "" {
		return ""
	}
	return object
}
