package runner

import (
	"slices"
	"strings"
)

// usual are the variables of the user's environment that every command gets. Keys, tokens
// and agent sockets are not among them.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOTOOLCHAIN", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "GOSUMDB", "GOWORK", "CGO_ENABLED",
	"CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_PATH", "NIX_SSL_CERT_FILE",
}

// set are the variables set for every command: it runs without a terminal, and nobody can
// answer its questions.
var set = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "NO_COLOR=1"}

// usualTemp is where programs make temporary files if nothing says where.
const usualTemp = "/tmp"

// environ returns the environment of a command, made from the user's: the usual variables,
// locale settings, the variables in named, and temp as the folder for temporary files. Where that
// is the usual one, the variables that name it are set only if the user has set them: a test that
// reads them has its result kept by Go for exactly these values.
func environ(users, named []string, temp string) []string {
	var env []string
	for _, v := range users {
		name, _, ok := strings.Cut(v, "=")
		if ok && (slices.Contains(usual, name) || strings.HasPrefix(name, "LC_") || slices.Contains(named, name)) {
			env = append(env, v)
		}
	}
	env = append(env, set...)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		isSet := slices.ContainsFunc(users, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if temp == usualTemp && !isSet {
			continue
		}
		env = append(env, name+"="+temp)
	}
	return env
}
