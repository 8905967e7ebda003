package packaging

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"path/filepath"
	"testing"
)

// A program for Linux runs with glibc, with musl and with neither, as the wheels' names and
// npm's page say: it needs no loader of libraries.
func TestLinuxProgramsAreStatic(t *testing.T) {
	for _, path := range glob(t, programs(t), "linux_*/redline") {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				t.Errorf("%s needs a loader", path)
			}
		}
	}
}

// A program for macOS runs on the version that the wheels' names and npm's page say.
func TestMacProgramsRunOnOldest(t *testing.T) {
	found := glob(t, programs(t), "darwin_*/redline")
	if len(found) == 0 {
		t.Skip("needs programs for macOS: run with -release")
	}
	const buildVersion, oldest = 0x32, 12 << 16 // of a Mach-O file; 12.0
	for _, path := range found {
		f, err := macho.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		said := false
		for _, load := range f.Loads {
			if raw := load.Raw(); len(raw) >= 16 && binary.LittleEndian.Uint32(raw) == buildVersion {
				said = true
				if version := binary.LittleEndian.Uint32(raw[12:]); version != oldest {
					t.Errorf("%s needs macOS %d.%d", path, version>>16, version>>8&0xff)
				}
			}
		}
		if !said {
			t.Errorf("%s does not say which macOS it needs", path)
		}
	}
}

func glob(t *testing.T, pattern ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
