package web_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The file that leads the browser to the page is where a confined browser can read it, private, and
// gone afterwards.
func TestTheDoor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the file is in the temporary folder, which browsers can read")
	}
	home := t.TempDir()
	downloads := filepath.Join(home, "Downloads")
	t.Setenv("HOME", home)
	t.Setenv("XDG_DOWNLOAD_DIR", "")
	r := begin(t)
	for _, parent := range []string{home, downloads} {
		file, remove, err := r.Door()
		r.Must(err)
		if filepath.Dir(filepath.Dir(file)) != parent {
			t.Errorf("%s is not in %s", file, parent)
		}
		text, err := os.ReadFile(file)
		folder, err2 := os.Stat(filepath.Dir(file))
		info, err3 := os.Stat(file)
		if err != nil || err2 != nil || err3 != nil || info.Mode() != 0o600 || folder.Mode().Perm() != 0o700 || !strings.Contains(string(text), "#token="+r.Token()) {
			t.Errorf("%v %v %v\n%s", err, info, folder, text)
		}
		if remove(); parent == home {
			r.Must(os.Mkdir(downloads, 0o700))
		}
	}
	if all, err := os.ReadDir(downloads); err != nil || len(all) > 0 {
		t.Errorf("%v stay: %v", all, err)
	}
}
