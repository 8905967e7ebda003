// Package gitremote keeps documents in a remote repository that a team has anyway: each in a ref
// of its own, as a chain of commits whose trees have one file. It uses the installed Git, and
// does not trust the repository of the workspace.
//
// Git never sees that repository. Each use makes a private one in a temporary folder
// ([Open]), which has nothing but the document: no worktree, no index, no branch, no hook. Of the
// repository's settings it takes words that name no program: the address of the remote, the
// name of the author, whether commits are signed and with which key, and headers for a web
// server. Programs come from the user's own settings and environment: core.sshCommand,
// credential.helper, core.askPass, gpg.program, url.*.insteadOf and the rest of what
// git config --global and --system have. So no setting or file of the repository runs anything,
// and a plain git push or git fetch never sees the refs.
//
// Only transports of Git's own are used: files, ssh, git and http. A remote that is a folder of
// this machine is served by a Git that runs no hooks of that folder. Nothing ever asks at a
// terminal.
package gitremote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"redline/internal/lazyregexp"
	"redline/workspace/git"
	"redline/workspace/gitrepo"
	"redline/workspace/leftover"
	"redline/workspace/secrets"
)

// Limits of what a remote may send.
const (
	MaxDocument = 64 << 20 // bytes of a document
	maxListed   = 64 << 20 // bytes of the list of all refs
	maxRefs     = 100_000  // documents that are listed
)

// Only tests change these.
var (
	maxFetched  int64 = 100 << 20 // bytes that are fetched for one document
	maxDocument int64 = MaxDocument
)

// Timeouts of one command.
const (
	maxLocal  = time.Minute     // it asks nobody, but may have to sign
	maxRemote = 5 * time.Minute // it asks the remote
)

// DefaultPrefix is where the refs of documents are.
const DefaultPrefix = "refs/redline/plans/"

// Errors of [Open].
var (
	ErrNone     = errors.New("this folder is in no Git repository: plans are shared through the remote of one")
	ErrNoGit    = errors.New("no program git was found: install Git")
	errNoRemote = errors.New("the repository has no remote: git remote add origin ADDRESS names one")
)

// Options are what a use of a remote depends on.
type Options struct {
	Branch string           // keep documents on branches below this name instead of below DefaultPrefix
	Left   *leftover.Ledger // notes the private folder; may be nil
}

// Remote is a remote repository. Its methods may not be called at the same time.
type Remote struct {
	name    string // as the user knows it: a name, or an address without secrets
	fetch   string // the address to fetch from, with what it may contain; as Git resolved it
	push    string
	prefix  string // of the refs, with a slash at its end
	branch  bool   // the refs are branches
	program string
	env     []string
	dir     string // the private repository
	signs   bool   // commits are signed
	forget  func()
}

// Open prepares the use of a remote of the repository that a folder belongs to. name is that of
// the remote, an address, or "" for origin or the only remote. It asks the remote nothing. The
// caller must close the result.
func Open(ctx context.Context, folder, name string, o Options) (*Remote, error) {
	top, found, err := repositoryOf(folder)
	if err != nil {
		return nil, err
	}
	r := &Remote{prefix: DefaultPrefix, forget: func() {}}
	if o.Branch != "" {
		r.prefix, r.branch = "refs/heads/"+strings.Trim(o.Branch, "/")+"/", true
	}
	var path string
	if r.program, path = git.Program(os.Getenv("PATH"), top); r.program == "" {
		return nil, ErrNoGit
	}
	given, err := addressesOf(found, top, name)
	if err != nil {
		return nil, err
	}
	r.name = secrets.WithoutUsers(given.name)
	r.dir = filepath.Join(os.TempDir(), leftover.Name(leftover.Git))
	r.forget = o.Left.Note(r.dir)
	r.env = environ(path, r.dir)
	if err := r.fill(ctx, found, given); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close removes the private repository.
func (r *Remote) Close() {
	_ = leftover.RemoveAll(r.dir)
	r.forget()
}

// Name returns what the user calls the remote.
func (r *Remote) Name() string { return r.name }

// Address returns the address that is fetched from, without secrets.
func (r *Remote) Address() string { return secrets.WithoutUsers(r.fetch) }

// PushAddress returns the address that is pushed to, without secrets.
func (r *Remote) PushAddress() string { return secrets.WithoutUsers(r.push) }

// Ref returns the name of a document's ref.
func (r *Remote) Ref(id string) string { return r.prefix + id }

var idPattern = lazyregexp.New(`^[0-9a-z]{1,64}$`)

// ValidID reports whether a document can have an id.
func ValidID(id string) bool { return idPattern().MatchString(id) }

// repositoryOf returns the repository of a folder, and the root of its worktree.
func repositoryOf(folder string) (top string, r gitrepo.Repository, err error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", r, err
	}
	top, r, err = git.Find(real)
	if err == nil {
		return top, r, nil
	}
	if bare, ok := gitrepo.Bare(real); ok {
		return real, bare, nil
	}
	return "", r, ErrNone
}

// addresses are where a remote is.
type addresses struct{ name, fetch, push string }

// addressesOf returns the addresses of a remote as they are given, with the paths in them
// absolute.
func addressesOf(found gitrepo.Repository, top, name string) (addresses, error) {
	names := found.Remotes()
	if name == "" {
		switch {
		case len(names) == 0:
			return addresses{}, errNoRemote
		case len(names) == 1:
			name = names[0]
		case slices.Contains(names, "origin"):
			name = "origin"
		default:
			return addresses{}, fmt.Errorf("the repository has the remotes %s: say which", strings.Join(names, ", "))
		}
	}
	a := addresses{name: name}
	var ok bool
	if a.fetch, a.push, ok = found.Remote(name); !ok {
		if kindOf(name) == local && !strings.ContainsAny(name, `/\`) {
			known := "git remote add " + name + " ADDRESS names one"
			if len(names) > 0 {
				known = "it has " + strings.Join(names, ", ")
			}
			return a, fmt.Errorf("the repository has no remote %s: %s", name, known)
		}
		a.fetch, a.push = name, name
	}
	for _, address := range []*string{&a.fetch, &a.push} {
		if kindOf(*address) == local && !strings.Contains(*address, "://") && !filepath.IsAbs(*address) {
			*address = filepath.Join(top, filepath.FromSlash(*address))
		}
	}
	return a, nil
}

// kind is how a remote is reached.
type kind string

const (
	local   kind = "file"
	byShell kind = "ssh"
	byGit   kind = "git"
	byWeb   kind = "http"
	byOther kind = "" // by a program that Git does not have
)

var (
	helper = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9+.-]*::`)
	scheme = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9+.-]*)://`)
	drive  = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
)

// kindOf reads how an address is reached, as Git does.
func kindOf(address string) kind {
	if helper().MatchString(address) {
		return byOther
	}
	if m := scheme().FindStringSubmatch(address); m != nil {
		switch strings.ToLower(m[1]) {
		case "file":
			return local
		case "ssh", "git+ssh", "ssh+git":
			return byShell
		case "git":
			return byGit
		case "http", "https":
			return byWeb
		}
		return byOther
	}
	colon, slash := strings.IndexByte(address, ':'), strings.IndexAny(address, `/\`)
	if colon > 0 && (slash < 0 || colon < slash) && !(os.PathSeparator == '\\' && drive.MatchString(address)) {
		return byShell
	}
	return local
}
