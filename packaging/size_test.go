package packaging

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxProgram is the most that a stripped program may weigh, on the platform that most people have.
const (
	maxProgram = 36_000_000 // bytes
	extension  = 250_000    // of which a release has the extension for VS Code in it
	weighed    = "linux_amd64"
)

func TestTheProgramIsSmall(t *testing.T) {
	program := filepath.Join(programs(t), weighed, "redline")
	info, err := os.Stat(program)
	if err != nil {
		t.Skipf("needs a program for %s: run this test there, or with -release", weighed)
	}
	most := int64(maxProgram)
	if *releaseDir == "" {
		most -= extension
	}
	if info.Size() <= most {
		t.Logf("%d bytes, %d are left", info.Size(), most-info.Size())
		return
	}
	t.Errorf("the program has %d bytes, and may have %d: what follows is new, or is linked without need (go mod why, go list -deps ./cmd/redline)\n%s",
		info.Size(), most, heaviest(t, program))
}

// What is tested is what is released: a released program is stripped, and otherwise what go build
// makes.
func TestTheProgramIsBuiltAsAReleaseIs(t *testing.T) {
	program := filepath.Join(programs(t), weighed, "redline")
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Skipf("needs a program for %s: run this test there, or with -release", weighed)
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["-tags"] != "" || set["-gcflags"] != "" || set["CGO_ENABLED"] != "0" || set["-trimpath"] != "true" {
		t.Errorf("the program was built with %v", set)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if file.Section(".symtab") != nil || file.Section(".debug_info") != nil {
		t.Error("the program is not stripped")
	}
}

// heaviest lists the packages with the most machine code, of a build with symbols: those of this
// machine's own build, which the cache has but for linking.
func heaviest(t *testing.T, program string) string {
	whole := filepath.Join(t.TempDir(), "redline")
	if err := goBuild(whole, "-w"); err != nil {
		return fmt.Sprintf("(%s cannot be built with symbols: %v)", program, err)
	}
	out, err := exec.Command("go", "tool", "nm", "-size", whole).Output()
	if err != nil {
		return err.Error()
	}
	weights := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var at, kind, name string
		var size int
		if n, _ := fmt.Sscan(line, &at, &size, &kind, &name); n == 4 && strings.EqualFold(kind, "t") {
			weights[packageOf(name)] += size
		}
	}
	names := make([]string, 0, len(weights))
	for name := range weights {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return weights[b] - weights[a] })
	var text strings.Builder
	for _, name := range names[:min(len(names), 25)] {
		fmt.Fprintf(&text, "%9d %s\n", weights[name], name)
	}
	return text.String()
}

// packageOf returns the package of a symbol: a/b.c of a/b.c.(*T).f[x/y.z].
func packageOf(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, "[")
	slash := strings.LastIndex(symbol, "/") + 1
	name, _, _ := strings.Cut(symbol[slash:], ".")
	return symbol[:slash] + name
}
