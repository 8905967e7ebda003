package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// packed is one file of a package.
type packed struct {
	name string // with slashes
	data []byte
	mode os.FileMode // 0o644, or 0o755 if it can be executed
}

// released returns the time that all files of a release have: SOURCE_DATE_EPOCH, or 1980, the
// earliest that a zip can hold.
func released() (time.Time, error) {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return earliest, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not a number of seconds: %w", err)
	}
	if at := time.Unix(seconds, 0).UTC(); at.After(earliest) {
		return at, nil
	}
	return earliest, nil
}

// tarball returns the files as a .tgz, in their order.
func tarball(files []packed) ([]byte, error) {
	at, err := released()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped returns the files as a zip, in their order.
func zipped(files []packed) ([]byte, error) {
	at, err := released()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		one, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := one.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTo writes a file of a release into a folder, which it makes.
func writeTo(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}
