package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is a module whose code is in a released program.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// thirdParty writes the licences of all that is in a released program for any platform, Go's own
// included. It fails if it does not find a module's licence.
func thirdParty(_ io.Writer, args []string) error {
	modules, err := linkedModules("./cmd/redline")
	if err != nil {
		return err
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	modules = append([]module{{Path: "The Go programming language", Dir: strings.TrimSpace(string(goRoot))}}, modules...)
	var text bytes.Buffer
	text.WriteString("Redline's own licence is in LICENSE. The program contains the following software.\n")
	for _, m := range modules {
		if err := writeLicence(&text, m); err != nil {
			return err
		}
	}
	return os.WriteFile(args[0], text.Bytes(), 0o644)
}

// linkedModules returns the modules, but for Redline's own, that a package is linked from on
// any platform, by path.
func linkedModules(pkg string) ([]module, error) {
	found := map[string]module{}
	for _, p := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", pkg)
		cmd.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.processor, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var listed struct{ Module *module }
			if err := d.Decode(&listed); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", cmd, err)
			}
			if m := listed.Module; m != nil && !m.Main {
				found[m.Path] = *m
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.Path, b.Path) }), nil
}

// writeLicence writes a heading and a module's files that begin with LICENSE, LICENCE,
// COPYING or NOTICE. It fails if there is none, or only notices.
func writeLicence(w io.Writer, m module) error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n%s\n%[1]s\n", strings.Repeat("=", 72), strings.TrimSpace(m.Path+" "+m.Version))
	licensed := false
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		isLicence := strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")
		if e.IsDir() || !isLicence && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		licensed = licensed || isLicence
	}
	if !licensed {
		return fmt.Errorf("%s %s has no licence in its folder", m.Path, m.Version)
	}
	return nil
}
