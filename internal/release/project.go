package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// project is what the owner of Redline decides: names, addresses, whom to write to. Every
// package takes them from packaging/project.json.
type project struct {
	Name       string `json:"name"`       // of the program
	Package    string `json:"package"`    // on npm and PyPI, where the program's name is taken
	Publisher  string `json:"publisher"`  // of the extension for VS Code
	Summary    string `json:"summary"`    // one line, without a full stop
	Homepage   string `json:"homepage"`   // a URL
	Repository string `json:"repository"` // a URL without .git; releases are below it
	Maintainer string `json:"maintainer"` // NAME <ADDRESS>
	Licence    string `json:"licence"`    // an SPDX identifier
}

// readProject reads a project's file. A field that is missing or unknown is an error.
func readProject(path string) (project, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return project{}, err
	}
	var p project
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return project{}, fmt.Errorf("%s: %w", path, err)
	}
	if slices.Contains([]string{p.Name, p.Package, p.Publisher, p.Summary, p.Homepage, p.Repository, p.Maintainer, p.Licence}, "") {
		return project{}, fmt.Errorf("%s: a field is empty", path)
	}
	return p, nil
}

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

// platform is one that a release has a program for, in Go's names.
type platform struct{ system, processor string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// executable returns the name of a program's file.
func (p platform) executable(program string) string {
	if p.system == "windows" {
		return program + ".exe"
	}
	return program
}

// program reads a platform's program from a folder of programs.
func (p platform) program(programs, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(programs, p.system+"_"+p.processor, p.executable(name)))
}

// licences returns what must go along with a program: Redline's licence, and those of the
// libraries in it, which lie in the folder of programs. No program is packed without them.
func licences(projectFile, programs string) ([]packed, error) {
	own, err := os.ReadFile(filepath.Join(filepath.Dir(projectFile), "..", "LICENSE"))
	if err != nil {
		return nil, err
	}
	others, err := os.ReadFile(filepath.Join(programs, "THIRD-PARTY-LICENCES.txt"))
	if err != nil {
		return nil, fmt.Errorf("the licences of the libraries are missing: %w", err)
	}
	return []packed{{"LICENSE", own, 0o644}, {"THIRD-PARTY-LICENCES.txt", others, 0o644}}, nil
}

// field prints one field of the project's file, for scripts and GoReleaser.
func field(out io.Writer, args []string) error {
	p, err := readProject(args[0])
	if err != nil {
		return err
	}
	fields := map[string]string{
		"homepage": p.Homepage, "licence": p.Licence, "maintainer": p.Maintainer, "summary": p.Summary,
	}
	value, ok := fields[args[1]]
	if !ok {
		return fmt.Errorf("there is no field %q", args[1])
	}
	_, err = fmt.Fprintln(out, value)
	return err
}

// Short returns the summary as Homebrew, Nix and the AUR want a description: what comes
// before the first colon, without an article, with a capital.
func (f filled) Short() string {
	short, _, _ := strings.Cut(f.Summary, ":")
	for _, article := range []string{"A ", "An ", "The "} {
		short = strings.TrimPrefix(short, article)
	}
	return strings.ToUpper(short[:min(1, len(short))]) + short[min(1, len(short)):]
}

// SRI returns a released file's SHA-256 in the form of Nix and of web pages: sha256- and
// base64. It fails for a file that was not released.
func (f filled) SRI(file string) (string, error) {
	sum, err := f.Sum(file)
	if err != nil {
		return "", err
	}
	digest, err := hex.DecodeString(sum)
	if err != nil {
		return "", err
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(digest), nil
}

// ArchVersion returns the version without the hyphen of a pre-release, which pacman forbids:
// it takes 1.2.0rc.1 to be older than 1.2.0.
func (f filled) ArchVersion() string { return strings.ReplaceAll(f.Version, "-", "") }
