package main

import (
	"fmt"
	"os"
	"path/filepath"
)

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
