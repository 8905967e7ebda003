package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bill of this test's own program names its modules, and is the same each time.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i := range texts {
		out := filepath.Join(t.TempDir(), "bill.json")
		if err := run(t.Output(), []string{"bill", "1.2.3", self, out}); err != nil {
			t.Fatal(err)
		}
		if texts[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two bills of one program differ")
	}
	var b struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, PURL string }
	}
	if err := json.Unmarshal(texts[0], &b); err != nil {
		t.Fatal(err)
	}
	if b.BOMFormat != "CycloneDX" || b.SpecVersion != "1.6" || b.Metadata.Component.Name != "redline" || b.Metadata.Component.Version != "1.2.3" {
		t.Errorf("got %+v", b)
	}
}

func TestBillNamesWhatReplacesAModule(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "redline"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.0.0"},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.0.1"}},
	}}
	b := billOf("1.2.3", info)
	var got []string
	for _, c := range *b.Components {
		got = append(got, c.PackageURL)
	}
	want := []string{"pkg:golang/std@go1.26.0", "pkg:golang/example.org/a@v1.0.0", "pkg:golang/example.org/fork@v1.0.1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}
