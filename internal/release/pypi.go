package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// wheelTags are what pip calls the platforms that a program runs on, in the order of a file's
// name. A program for Linux is static, so it needs no C library: neither glibc (manylinux) nor
// musl. Go 1.26 needs macOS 12.
var wheelTags = map[platform][]string{
	{"linux", "amd64"}:   {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	{"linux", "arm64"}:   {"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	{"darwin", "amd64"}:  {"macosx_12_0_x86_64"},
	{"darwin", "arm64"}:  {"macosx_12_0_arm64"},
	{"windows", "amd64"}: {"win_amd64"},
	{"windows", "arm64"}: {"win_arm64"},
}

// pypi writes the wheels for PyPI, one for each platform, and their names to out.
func pypi(out io.Writer, args []string) error {
	p, err := readProject(args[0])
	if err != nil {
		return err
	}
	version, err := pythonVersion(args[1])
	if err != nil {
		return err
	}
	legal, err := licences(args[0], args[2])
	if err != nil {
		return err
	}
	w := wheel{project: p, version: version, legal: legal}
	source := filepath.Join(filepath.Dir(args[0]), "pypi")
	if w.readme, err = os.ReadFile(filepath.Join(source, "README.md")); err != nil {
		return err
	}
	for _, name := range []string{"__init__.py", "__main__.py"} {
		data, err := os.ReadFile(filepath.Join(source, w.module(), name))
		if err != nil {
			return err
		}
		w.python = append(w.python, packed{w.module() + "/" + name, data, 0o644})
	}
	for _, on := range platforms {
		program, err := on.program(args[2], p.Name)
		if err != nil {
			return err
		}
		data, err := zipped(w.files(on, program))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%s-py3-none-%s.whl", w.module(), version, strings.Join(wheelTags[on], "."))
		fmt.Fprintln(out, name)
		if err := writeTo(args[3], name, data); err != nil {
			return err
		}
	}
	return nil
}

// wheel is what the wheels of all platforms have in common.
type wheel struct {
	project
	version string // as PEP 440 has it
	readme  []byte
	python  []packed
	legal   []packed
}

// module returns the name of the Python module, with which the names of all files begin.
func (w wheel) module() string { return strings.ReplaceAll(w.Package, "-", "_") }

// files returns the files of a platform's wheel. The last is RECORD, which lists the others.
func (w wheel) files(on platform, program []byte) []packed {
	base := w.module() + "-" + w.version
	files := slices.Clone(w.python)
	files = append(files, packed{base + ".data/scripts/" + on.executable(w.Name), program, 0o755})
	info := base + ".dist-info/"
	for _, licence := range w.legal {
		files = append(files, packed{info + "licenses/" + licence.name, licence.data, 0o644})
	}
	add := func(name, text string) { files = append(files, packed{info + name, []byte(text), 0o644}) }
	add("METADATA", w.metadata())
	var tags strings.Builder
	for _, tag := range wheelTags[on] {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
	}
	add("WHEEL", "Wheel-Version: 1.0\nGenerator: redline-release\nRoot-Is-Purelib: false\n"+tags.String())
	add("entry_points.txt", fmt.Sprintf("[console_scripts]\n%s = %s:main\n", w.Package, w.module()))
	add("RECORD", record(files, info+"RECORD"))
	return files
}

// metadata returns what PyPI shows.
func (w wheel) metadata() string {
	var text bytes.Buffer
	line := func(name, value string) { fmt.Fprintf(&text, "%s: %s\n", name, value) }
	line("Metadata-Version", "2.4")
	line("Name", w.Package)
	line("Version", w.version)
	line("Summary", w.Summary)
	line("Keywords", strings.Join(keywords, ","))
	line("Author-email", w.Maintainer)
	line("License-Expression", w.Licence)
	for _, licence := range w.legal {
		line("License-File", licence.name)
	}
	line("Project-URL", "Homepage, "+w.Homepage)
	line("Project-URL", "Source, "+w.Repository)
	for _, classifier := range classifiers {
		line("Classifier", classifier)
	}
	line("Requires-Python", ">=3.8")
	line("Description-Content-Type", "text/markdown")
	text.WriteByte('\n')
	text.Write(w.readme)
	return text.String()
}

var classifiers = []string{
	"Environment :: Console",
	"Intended Audience :: Developers",
	"Operating System :: MacOS",
	"Operating System :: Microsoft :: Windows",
	"Operating System :: POSIX :: Linux",
	"Programming Language :: Python :: 3",
	"Topic :: Software Development",
	"Topic :: Text Editors :: Integrated Development Environments (IDE)",
}

// record returns the lines of RECORD: name, hash and size of each file, and its own name.
func record(files []packed, own string) string {
	var text strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&text, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	return text.String() + own + ",,\n"
}
