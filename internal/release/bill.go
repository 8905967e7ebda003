package main

import (
	"debug/buildinfo"
	"io"
	"os"
	"runtime/debug"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials of a program: the modules that its linker noted, in
// CycloneDX 1.6 as JSON.
//
// Source: https://cyclonedx.org/docs/1.6/json
func bill(_ io.Writer, args []string) error {
	version, program, out := args[0], args[1], args[2]
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	e := cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	if err := e.EncodeVersion(billOf(version, info), cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return f.Close()
}

// billOf returns the bill of materials. It has no serial number and no time, so that the same
// program has the same bill.
func billOf(version string, info *debug.BuildInfo) *cyclonedx.BOM {
	program := cyclonedx.Component{
		BOMRef:     purl(info.Main.Path, version),
		Type:       cyclonedx.ComponentTypeApplication,
		Name:       "redline",
		Version:    version,
		PackageURL: purl(info.Main.Path, version),
	}
	std := component("std", info.GoVersion)
	components := []cyclonedx.Component{std}
	refs := []string{std.BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m.Path, m.Version)
		components = append(components, c)
		refs = append(refs, c.BOMRef)
	}
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{Component: &program}
	b.Components = &components
	b.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return b
}

func component(path, version string) cyclonedx.Component {
	return cyclonedx.Component{
		BOMRef:     purl(path, version),
		Type:       cyclonedx.ComponentTypeLibrary,
		Name:       path,
		Version:    version,
		PackageURL: purl(path, version),
	}
}

// purl returns the package URL of a Go module.
//
// Source: https://github.com/package-url/purl-spec/blob/main/types-doc/golang-definition.md
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }
