package packaging

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// platform is one that Redline is released for.
type platform struct{ system, processor string }

var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// here is the platform of this machine.
var here = platform{runtime.GOOS, runtime.GOARCH}

// archiveName returns the name of a platform's archive.
func archiveName(version string, p platform) string {
	ending := ".tar.gz"
	if p.system == "windows" {
		ending = ".zip"
	}
	return "redline_" + version + "_" + p.system + "_" + p.processor + ending
}

// manPages are some of those that a release has.
var manPages = []string{"redline.1", "redline-demo.1", "redline-version.1"}

// archived is what an archive of a release has beside the program.
func archived() []string {
	files := []string{
		"LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENCES.txt",
		"completions/redline.bash", "completions/_redline", "completions/redline.fish", "completions/redline.ps1",
	}
	for _, page := range manPages {
		files = append(files, "man/"+page)
	}
	return files
}

// entry is one file of an archive.
type entry struct {
	name string
	data []byte
	mode os.FileMode
}

// makeArchives makes the archives of a version, and checksums.txt with them. The programs are
// those of a folder; where it has none for a platform there is a text instead. More files can
// be in the archives.
func makeArchives(version, programs string, more ...string) (string, error) {
	dir := filepath.Join(temporary, "archives-"+version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, p := range platforms {
		name := "redline"
		pack := tarball
		if p.system == "windows" {
			name, pack = "redline.exe", zipped
		}
		program, err := os.ReadFile(filepath.Join(programs, p.system+"_"+p.processor, name))
		if os.IsNotExist(err) {
			program = []byte("the program of " + p.system + " " + p.processor + "\n")
		} else if err != nil {
			return "", err
		}
		entries := []entry{{name, program, 0o755}}
		for _, file := range append(archived(), more...) {
			entries = append(entries, entry{file, []byte(file + " of " + version + "\n"), 0o644})
		}
		archive := filepath.Join(dir, archiveName(version, p))
		if err := pack(archive, entries); err != nil {
			return "", err
		}
		data, err := os.ReadFile(archive)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), filepath.Base(archive))
	}
	return dir, os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums.String()), 0o644)
}

func tarball(path string, entries []entry) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	compressed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data))}); err != nil {
			return err
		}
		if _, err := w.Write(e.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func zipped(path string, entries []entry) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := zip.NewWriter(file)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(e.mode)
		inside, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := inside.Write(e.data); err != nil {
			return err
		}
	}
	return w.Close()
}
