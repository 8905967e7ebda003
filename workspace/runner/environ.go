package runner

import (
	"os"
	"slices"
	"strings"

	"redline/workspace/secrets"
	"redline/workspace/toolfolders"
)

// usual are the variables of the user's environment that every command gets, with those that say
// where tools have their folders. They include no keys, tokens or agent sockets.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
	"GOFLAGS", "GOTOOLCHAIN", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "GOSUMDB", "GOWORK", "CGO_ENABLED",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_PATH", "NIX_SSL_CERT_FILE",
}

// set are the variables set for every command. They say that there is no terminal and
// that nobody can answer questions.
var set = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "NO_COLOR=1"}

// usualTemp is where programs create temporary files by default.
const usualTemp = "/tmp"

// environOf returns the environment of a command. In a world, which the user has not approved,
// no value has a password or a token.
func environOf(c Command, temp string) []string {
	if c.World == nil {
		return environ(os.Environ(), c.Env, temp)
	}
	env := environ(withGoSettings(os.Environ()), c.Env, temp)
	env = slices.DeleteFunc(env, func(v string) bool { return secrets.Text("variable", v) })
	for i, v := range env {
		env[i] = secrets.WithoutUsers(v)
	}
	return env
}

// withGoSettings returns an environment with what the user's settings for Go say and it does not: a
// world has no such file.
func withGoSettings(env []string) []string {
	for name, value := range toolfolders.GoSettings() {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// environ returns the environment of a command: from the user's environment the usual
// variables, those of tools' folders, the locale settings and the variables in named, and temp as the folder for
// temporary files. If temp is the default folder, environ passes the variables that name
// it only if the user has set them: Go caches the result of a test that reads them for
// exactly these values.
func environ(users, named []string, temp string) []string {
	var env []string
	for _, v := range users {
		name, value, ok := strings.Cut(v, "=")
		if passed, is := toolfolders.Passed(name, value); ok && is && !slices.Contains(named, name) {
			env = append(env, name+"="+passed)
		} else if ok && (slices.Contains(usual, name) || strings.HasPrefix(name, "LC_") || slices.Contains(named, name)) {
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
