package gitremote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/gitrepo"
	"redline/workspace/secrets"
)

// own is the name of the remote in the private repository. No setting of the user's has it.
const own = "redline"

// hardened are settings of the private repository that count more than the user's.
var hardened = []gitrepo.Value{
	{Name: "core.bare", Text: "true"},
	{Name: "core.hooksPath", Text: os.DevNull},
	{Name: "core.fsmonitor", Text: "false"},
	{Name: "core.logAllRefUpdates", Text: "false"},
	{Name: "core.bigFileThreshold", Text: "1m"}, // so that Git does not hold what is larger
	{Name: "gc.auto", Text: "0"},
	{Name: "maintenance.auto", Text: "false"},
	{Name: "fetch.fsckObjects", Text: "true"},
	{Name: "fetch.unpackLimit", Text: "1"},
	{Name: "fetch.recurseSubmodules", Text: "false"},
	{Name: "fetch.writeCommitGraph", Text: "false"},
	{Name: "fetch.prune", Text: "false"},
	{Name: "transfer.bundleURI", Text: "false"},
	{Name: "push.followTags", Text: "false"},
	{Name: "push.gpgSign", Text: "false"},
	{Name: "push.pushOption", Text: ""},
	{Name: "push.recurseSubmodules", Text: "no"},
	{Name: "push.negotiate", Text: "false"},
	{Name: "user.useConfigOnly", Text: "true"},
	{Name: "log.showSignature", Text: "false"},
	{Name: "http.followRedirects", Text: "initial"},
	{Name: "http.lowSpeedLimit", Text: "100"},
	{Name: "http.lowSpeedTime", Text: "30"},
}

// served is how Git serves a repository of this machine: without its hooks, and without programs
// that its settings name.
const served = "GIT_ALLOC_LIMIT=0 GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_TERMINAL_PROMPT=0 git -c core.hooksPath=/dev/null -c core.fsmonitor=false" +
	" -c core.alternateRefsCommand=true -c credential.helper= -c receive.autogc=false -c gc.auto=0 -c maintenance.auto=false "

// fill makes the private repository.
func (r *Remote) fill(ctx context.Context, found gitrepo.Repository, given addresses) error {
	for _, name := range []string{"", "objects", "refs"} {
		if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
			return err
		}
	}
	sha256 := strings.EqualFold(found.Values("extensions")["objectformat"], "sha256")
	start := []gitrepo.Value{{Name: "core.repositoryFormatVersion", Text: "0"}}
	if sha256 {
		start = []gitrepo.Value{{Name: "core.repositoryFormatVersion", Text: "1"}, {Name: "extensions.objectFormat", Text: "sha256"}}
	}
	start = append(start, hardened...)
	if err := errors.Join(r.write("HEAD", "ref: refs/heads/none\n"), r.write("config", gitrepo.Format(start))); err != nil {
		return err
	}
	theirs, err := r.personal(ctx, found)
	if err != nil {
		return err
	}
	if err := r.write(globalName, gitrepo.Format(theirs)); err != nil {
		return err
	}
	r.env = append(r.env, "GIT_CONFIG_GLOBAL="+filepath.Join(r.dir, globalName), "GIT_CONFIG_NOSYSTEM=1")
	all := append(slices.Clone(start), ofRepository(found)...)
	r.signs = isTrue(last(slices.Concat(theirs, all), "commit.gpgsign"))
	all = append(all, gitrepo.Value{Name: "remote." + own + ".url", Text: given.fetch}, gitrepo.Value{Name: "remote." + own + ".pushurl", Text: given.push})
	if err := r.write("config", gitrepo.Format(all)); err != nil {
		return err
	}
	r.fetch, r.push = given.fetch, given.push
	if slices.ContainsFunc(theirs, func(v gitrepo.Value) bool { return strings.HasPrefix(v.Name, "url.") }) {
		if err := r.resolve(ctx); err != nil {
			return err
		}
	}
	return r.allow(all, last(theirs, "core.sshcommand") != "")
}

// globalName is the file of the private repository that has the user's settings.
const globalName = "user.config"

func (r *Remote) write(name, text string) error {
	return os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600)
}

// resolve asks Git for the addresses that the user's settings (url.*.insteadOf) make of those that
// were given.
func (r *Remote) resolve(ctx context.Context) error {
	for _, way := range []struct {
		to   *string
		args []string
	}{{&r.fetch, []string{"remote", "get-url", own}}, {&r.push, []string{"remote", "get-url", "--push", own}}} {
		out, err := r.git(ctx, command{args: way.args, limit: 64 << 10})
		if err != nil {
			return err
		}
		*way.to = strings.TrimSuffix(string(out), "\n")
	}
	return nil
}

// allow allows only the transports that the addresses need. hasShell says that the user's settings
// name the program for ssh.
func (r *Remote) allow(all []gitrepo.Value, hasShell bool) error {
	var allowed []string
	for _, address := range []string{r.fetch, r.push} {
		switch k := kindOf(address); k {
		case byOther:
			return fmt.Errorf("the remote %s is %s, which needs a helper program: Redline uses only files, ssh, git and http", r.name, secrets.WithoutUsers(address))
		case byWeb:
			allowed = append(allowed, "http", "https")
		default:
			allowed = append(allowed, string(k))
		}
	}
	if kindOf(r.fetch) == local {
		all = append(all, gitrepo.Value{Name: "remote." + own + ".uploadpack", Text: served + "upload-pack"})
	}
	if kindOf(r.push) == local {
		all = append(all, gitrepo.Value{Name: "remote." + own + ".receivepack", Text: served + "receive-pack"})
	}
	r.env = append(r.env, "GIT_ALLOW_PROTOCOL="+strings.Join(allowed, ":"))
	if !hasShell && os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		r.env = append(r.env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=20", "GIT_SSH_VARIANT=ssh")
	}
	return r.write("config", gitrepo.Format(all))
}

// personal returns the settings of the system, the user and the environment, in this order. The
// user may include files for certain repositories, so Git is asked as if in the repository; what
// that one has itself is left out.
func (r *Remote) personal(ctx context.Context, found gitrepo.Repository) ([]gitrepo.Value, error) {
	dir, _ := found.Dirs()
	list := command{args: []string{"config", "--list", "--show-scope", "--includes", "-z"}, limit: 4 << 20}
	out, err := r.git(ctx, command{args: list.args, limit: list.limit, env: append(configEnv(), "GIT_DIR="+dir)})
	if err != nil { // Git does not understand the repository's own settings
		out, err = r.git(ctx, command{args: list.args, limit: list.limit, env: configEnv()})
	}
	if err != nil {
		return nil, err
	}
	var values []gitrepo.Value
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		name, text, ok := strings.Cut(fields[i+1], "\n")
		switch fields[i] {
		case "system", "global", "command":
			if !strings.HasPrefix(name, "include.") && !strings.HasPrefix(name, "includeif.") {
				values = append(values, gitrepo.Value{Name: name, Text: text, Bare: !ok})
			}
		}
	}
	return values, nil
}

// words are the settings of a repository that name no program.
var words = []string{"user.name", "user.email", "user.signingkey", "author.name", "author.email", "committer.name", "committer.email", "commit.gpgsign", "gpg.format"}

// ofRepository returns the settings of the repository that are used.
func ofRepository(found gitrepo.Repository) (values []gitrepo.Value) {
	for _, name := range words {
		section, key, _ := strings.Cut(name, ".")
		if text, ok := found.Values(section)[key]; ok {
			values = append(values, gitrepo.Value{Name: name, Text: text})
		}
	}
	for _, h := range found.Headers() {
		name := "http.extraheader"
		if h.Of != "" {
			name = "http." + h.Of + ".extraheader"
		}
		values = append(values, gitrepo.Value{Name: name, Text: h.Text})
	}
	return values
}

// last returns the text of the last setting with a name, "true" for one without a value.
func last(values []gitrepo.Value, name string) (text string) {
	for _, v := range values {
		if strings.EqualFold(v.Name, name) {
			text = v.Text
			if v.Bare {
				text = "true"
			}
		}
	}
	return text
}

func isTrue(text string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(text))
}
