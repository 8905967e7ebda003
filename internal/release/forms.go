package main

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

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
