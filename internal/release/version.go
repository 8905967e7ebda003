package main

import (
	"fmt"
	"regexp"
)

// semantic matches a semantic version. It has no build metadata, since npm drops that and
// PyPI refuses it: two releases could then have one name.
var semantic = regexp.MustCompile(`^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-(` + identifier + `(?:\.` + identifier + `)*))?$`)

const identifier = `(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`

// isPrerelease reports whether a version is one that users get only if they ask for it. It
// fails for what is no semantic version.
func isPrerelease(version string) (bool, error) {
	m := semantic.FindStringSubmatch(version)
	if m == nil {
		return false, fmt.Errorf("%q is not a version like 1.2.0 or 1.2.0-rc.1", version)
	}
	return m[2] != "", nil
}

// ordered matches the prereleases that npm and Python sort alike.
var ordered = regexp.MustCompile(`^(alpha|beta|rc)\.(0|[1-9]\d*)$`)

// pythonVersion writes a semantic version as PEP 440 has it: 1.2.0-rc.1 is 1.2.0rc1. It fails
// for a prerelease that Python does not have or would sort in another place.
func pythonVersion(version string) (string, error) {
	pre, err := isPrerelease(version)
	if err != nil || !pre {
		return version, err
	}
	m := semantic.FindStringSubmatch(version)
	kind := ordered.FindStringSubmatch(m[2])
	if kind == nil {
		return "", fmt.Errorf("there is no version of Python packages like %s: a prerelease ends in -alpha.N, -beta.N or -rc.N", version)
	}
	return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[kind[1]] + kind[2], nil
}
