package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// manifest is a package.json, in the order in which npm's own packages have its fields.
type manifest struct {
	Name            string            `json:"name"`
	Version         string            `json:"version"`
	Description     string            `json:"description"`
	Keywords        []string          `json:"keywords,omitempty"`
	Homepage        string            `json:"homepage"`
	Repository      repository        `json:"repository"`
	License         string            `json:"license"`
	Author          string            `json:"author"`
	Type            string            `json:"type"`
	Bin             map[string]string `json:"bin,omitempty"`
	Files           []string          `json:"files"`
	Engines         map[string]string `json:"engines,omitempty"`
	OS              []string          `json:"os,omitempty"`
	CPU             []string          `json:"cpu,omitempty"`
	PreferUnplugged bool              `json:"preferUnplugged,omitempty"` // Yarn must not keep the program in a zip
	Optional        map[string]string `json:"optionalDependencies,omitempty"`
	Publish         map[string]string `json:"publishConfig,omitempty"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// keywords are what people search for, on npm and PyPI.
var keywords = []string{"lsp", "language-server", "ai", "agent", "coding-agent", "editor"}

// npm writes the packages for npm: one for each platform with its program, and one that
// depends on them and starts the program. It prints their names in the order in which they
// must be published: the one that users install comes last.
func npm(out io.Writer, args []string) error {
	p, err := readProject(args[0])
	if err != nil {
		return err
	}
	common, err := npmManifest(p, args[1])
	if err != nil {
		return err
	}
	legal, err := licences(args[0], args[2])
	if err != nil {
		return err
	}
	main := npmMain(common, p.Name)
	for _, on := range platforms {
		program, err := on.program(args[2], p.Name)
		if err != nil {
			return err
		}
		m := npmPlatform(common, on)
		main.Optional[m.Name] = m.Version
		readme := fmt.Sprintf("%s. Install the package %s, which brings this one.\n", m.Description, p.Package)
		files := append([]packed{{"README.md", []byte(readme), 0o644}, {"bin/" + on.executable(p.Name), program, 0o755}}, legal...)
		if err := writeNPM(out, args[3], m, files); err != nil {
			return err
		}
	}
	source := filepath.Join(filepath.Dir(args[0]), "npm")
	readme, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		return err
	}
	launcher, err := os.ReadFile(filepath.Join(source, "redline.js"))
	if err != nil {
		return err
	}
	return writeNPM(out, args[3], main, []packed{{"README.md", readme, 0o644}, {"bin/redline.js", launcher, 0o755}, legal[0]})
}

// writeNPM writes one package, as npm pack would, and prints its name.
func writeNPM(out io.Writer, to string, m manifest, files []packed) error {
	text, err := m.text()
	if err != nil {
		return err
	}
	all := []packed{{"package/package.json", text, 0o644}}
	for _, f := range files {
		all = append(all, packed{"package/" + f.name, f.data, f.mode})
	}
	data, err := tarball(all)
	if err != nil {
		return err
	}
	name := m.Name + "-" + m.Version + ".tgz"
	fmt.Fprintln(out, name)
	return writeTo(to, name, data)
}

// npmManifest returns what the manifests of all packages say.
func npmManifest(p project, version string) (manifest, error) {
	m := manifest{
		Name: p.Package, Version: version, Description: p.Summary, Homepage: p.Homepage,
		Repository: repository{"git", "git+" + p.Repository + ".git"}, License: p.Licence, Author: p.Maintainer, Type: "commonjs", Files: []string{"bin"},
	}
	pre, err := isPrerelease(version)
	if pre {
		m.Publish = map[string]string{"tag": "next"} // nobody gets it who asks for no version
	}
	return m, err
}

// npmMain returns the manifest of the package that users install. npx runs the command that
// is called like the package; the pages call the program by its own name.
func npmMain(m manifest, program string) manifest {
	m.Keywords, m.Engines = keywords, map[string]string{"node": ">=18"}
	m.Bin = map[string]string{m.Name: "bin/redline.js", program: "bin/redline.js"}
	m.Optional = map[string]string{}
	return m
}

// npmPlatform returns the manifest of a platform's package. Its name ends in what Node calls
// the system and the processor.
func npmPlatform(m manifest, on platform) manifest {
	system, cpu := on.system, on.processor
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	m.Description = fmt.Sprintf("The program that %s starts on %s %s", m.Name, system, cpu)
	m.Name = m.Name + "-" + system + "-" + cpu
	m.OS, m.CPU, m.PreferUnplugged = []string{system}, []string{cpu}, true
	return m
}

// text returns the manifest as npm writes it, with < and > as they are.
func (m manifest) text() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return text.Bytes(), err
}
