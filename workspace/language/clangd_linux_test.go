//go:build amd64 || arm64

package language

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// In its world clangd checks what a plan would leave, and what changes on the host meanwhile, again and again, without
// more documents that stay open.
func TestClangdInItsWorld(t *testing.T) {
	s, dir := inWorld(t, Clangd(), map[string]string{
		"compile_flags.txt": "-DONE=1\n", "a.h": "#pragma once\nint total(int x);\n",
		"b.h": "#include \"a.h\"\ninline int b() { return 1; }\n", "c.cc": "#include \"b.h\"\nint c() { return b() + total(2); }\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	const broken = "c.cc:2 Use of undeclared identifier 'total'"
	for i := range plansInARow() {
		plan := map[string]Text{at("a.h"): {Text: fmt.Sprintf("#pragma once\nint sum%d(int x);\n", i)}}
		if i%2 == 1 {
			plan[at("d.cc")] = Text{Text: fmt.Sprintf("#include \"a.h\"\nint d() { return sum%d(1); }\n", i)}
		}
		if got := lookInWorld(t, s, plan, nil); got != broken {
			t.Fatalf("plan %d: %q", i, got)
		}
		if len(s.open) > 3 {
			t.Fatalf("plan %d: %d documents are open", i, len(s.open))
		}
	}
	if got := lookInWorld(t, s, map[string]Text{at("a.h"): {Text: "#pragma once\nint total(int x);\n"}}, nil); got != "" {
		t.Errorf("with the text as it is: %q", got)
	}
	if err := os.WriteFile(at("c.cc"), []byte("#include \"b.h\"\nint c() { return b() + sum(2); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := lookInWorld(t, s, map[string]Text{at("a.h"): {Text: "#pragma once\nint total(int x);\n"}}, []string{at("c.cc")}); got != "c.cc:2 Use of undeclared identifier 'sum'" {
		t.Errorf("after a change on the host: %q", got)
	}
	if got := lookInWorld(t, s, map[string]Text{at("a.h"): {Text: "#pragma once\nint sum(int x);\n"}}, nil); got != "" {
		t.Errorf("the plan that fixes it: %q", got)
	}
	s.Close()
	if _, err := os.Stat(at(".cache")); !os.IsNotExist(err) {
		t.Errorf("the host has its index: %v", err)
	}
}
