package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
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
	for _, field := range []string{p.Name, p.Package, p.Publisher, p.Summary, p.Homepage, p.Repository, p.Maintainer, p.Licence} {
		if field == "" {
			return project{}, fmt.Errorf("%s: a field is empty", path)
		}
	}
	return p, nil
}
