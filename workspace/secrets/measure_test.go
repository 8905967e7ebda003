package secrets

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"
)

var over = flag.String("over", "", "folders, separated by commas, in which files are counted that are taken for secret")

// TestFalseAlarms counts, in folders of public code, the files that are taken for
// secret by what they hold, and names them: go test ./workspace/secrets -run
// FalseAlarms -v -over $(go env GOROOT),$(go env GOMODCACHE)
func TestFalseAlarms(t *testing.T) {
	if *over == "" {
		t.Skip("names no folders to measure: run with -over FOLDER,FOLDER")
	}
	files, named, held := 0, 0, 0
	var list []string
	for root := range strings.SplitSeq(*over, ",") {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil //nolint:nilerr // skip what cannot be read
			}
			text, err := os.ReadFile(name)
			if err != nil || !utf8.Valid(text) {
				return nil //nolint:nilerr // as above
			}
			files++
			rel, _ := filepath.Rel(root, name)
			rel = filepath.ToSlash(rel)
			switch {
			case Name(rel, false):
				named++
				list = append(list, "by name "+rel)
			case Text(rel, string(text)):
				held++
				list = append(list, "by text "+rel)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sort.Strings(list)
	for _, l := range list {
		t.Log(l)
	}
	t.Logf("%d files of text: %d by what they hold, %d by name", files, held, named)
}
