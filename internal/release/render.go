package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"
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

// packed is one file of a package.
type packed struct {
	name string // with slashes
	data []byte
	mode os.FileMode // 0o644, or 0o755 if it can be executed
}

// released returns the time that all files of a release have: SOURCE_DATE_EPOCH, or 1980, the
// earliest that a zip can hold.
func released() (time.Time, error) {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return earliest, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not a number of seconds: %w", err)
	}
	if at := time.Unix(seconds, 0).UTC(); at.After(earliest) {
		return at, nil
	}
	return earliest, nil
}

// tarball returns the files as a .tgz, in their order.
func tarball(files []packed) ([]byte, error) {
	at, err := released()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped returns the files as a zip, in their order.
func zipped(files []packed) ([]byte, error) {
	at, err := released()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		one, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := one.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTo writes a file of a release into a folder, which it makes.
func writeTo(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}
