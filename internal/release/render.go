package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// filled is what the templates of packaging/ are filled with.
type filled struct {
	project
	Version string            // without a v in front
	sums    map[string]string // SHA-256 in hexadecimal digits, by the name of a released file
}

// Archive returns the name of a platform's archive. GoReleaser's configuration forms the
// same name.
func (f filled) Archive(system, processor string) string {
	ending := ".tar.gz"
	if system == "windows" {
		ending = ".zip"
	}
	return fmt.Sprintf("%s_%s_%s_%s%s", f.Name, f.Version, system, processor, ending)
}

// URL returns where a released file can be downloaded.
func (f filled) URL(file string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", f.Repository, f.Version, file)
}

// Sum returns a released file's SHA-256 in hexadecimal digits. It fails for a file that was
// not released.
func (f filled) Sum(file string) (string, error) {
	sum, ok := f.sums[file]
	if !ok {
		return "", fmt.Errorf("the checksums have no file %s", file)
	}
	return sum, nil
}

// render fills in the templates beside the project's file, those whose names end in .tmpl,
// and writes them under OUT, each in its folder and without that ending.
func render(_ io.Writer, args []string) error {
	p, err := readProject(args[0])
	if err != nil {
		return err
	}
	sums, err := readSums(args[2])
	if err != nil {
		return err
	}
	return renderAll(filepath.Dir(args[0]), args[3], filled{project: p, Version: args[1], sums: sums})
}

func renderAll(from, to string, data filled) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".tmpl" {
			return err
		}
		t, err := template.New(d.Name()).Option("missingkey=error").ParseFiles(path)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimSuffix(inside, ".tmpl"))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		var text strings.Builder
		if err := t.Execute(&text, data); err != nil {
			return err
		}
		return os.WriteFile(target, []byte(text.String()), 0o644)
	})
}

// readSums reads the lines of sha256sum: a sum in hexadecimal digits, two spaces, a name.
func readSums(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok || len(sum) != 64 {
			return nil, fmt.Errorf("%s: not a line of sha256sum: %q", path, line)
		}
		sums[name] = sum
	}
	return sums, nil
}
