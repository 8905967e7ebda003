package git

import (
	"fmt"
	"regexp"
	"strings"
)

// Unknown is the error for a name that is no commit of the repository. Its text is a
// sentence.
type Unknown struct{ Name string }

func (u *Unknown) Error() string {
	if u.Name == "HEAD" {
		return "the repository has no commit yet"
	}
	return fmt.Sprintf("%q is no commit here; name a branch, a tag or a hash", u.Name)
}

// maxRevision is the length limit for the name of a commit, in bytes.
const maxRevision = 200

var (
	hash     = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	revision = regexp.MustCompile(`^[^-\x00-\x20\x7f:][^\x00-\x1f\x7f]*$`)
)

// resolve returns the hash of a commit from any name that Git knows for it, "" for HEAD.
// The error is an [*Unknown] if there is no such commit. Other commands get only hashes,
// so that none takes a name for an option.
func (v *view) resolve(name string) (string, error) {
	if name == "" {
		name = "HEAD"
	}
	if len(name) > maxRevision || !revision.MatchString(name) {
		return "", &Unknown{name}
	}
	out, err := v.git(nil, 1<<10, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	found := strings.TrimSpace(string(out.text))
	if exitCode(err) > 0 || err == nil && !hash.MatchString(found) {
		return "", &Unknown{name}
	}
	return found, err
}

// resolveRange returns the name of a commit or of a range ("a..b", "a...b") with hashes
// instead of names.
func (v *view) resolveRange(name string) (string, error) {
	for _, dots := range []string{"...", ".."} {
		from, to, ok := strings.Cut(name, dots)
		if !ok {
			continue
		}
		a, err := v.resolve(from)
		if err != nil {
			return "", err
		}
		b, err := v.resolve(to)
		return a + dots + b, err
	}
	return v.resolve(name)
}

// emptyTree returns the hash of a tree without files in a repository that has a commit
// with the given hash. Git knows that tree even if the repository does not contain it.
func emptyTree(commit string) string {
	if len(commit) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}
