package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Refusal is the error for a path problem that the model or the user can correct. Its text
// is one sentence.
type Refusal struct {
	Path   string // the path concerned; "" if the reason stands by itself
	Reason string // continues the path: "is a folder; name a file in it"
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	if strings.ContainsFunc(r.Path, unicode.IsControl) {
		return strconv.Quote(r.Path) + " " + r.Reason
	}
	return r.Path + " " + r.Reason
}

func refuse(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// refuseFor turns an error of the operating system into a refusal that says what to do.
// doing completes "cannot be …".
func refuseFor(path, doing string, err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	why := cause(err).Error()
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "the disk is full; free some space and try again"
	case errors.Is(err, syscall.EDQUOT):
		why = "your disk quota is used up; free some space and try again"
	case errors.Is(err, syscall.EROFS):
		why = "the file system is read-only"
	case errors.Is(err, syscall.ENAMETOOLONG):
		why = "the name is too long"
	case errors.Is(err, syscall.ENOTDIR):
		why = "a part of its path is a file, not a folder"
	case errors.Is(err, fs.ErrPermission):
		why = "permission was denied; check who may write the file and its folder"
		if doing == "read" {
			why = "permission was denied; check who may read it"
		}
	case errors.Is(err, fs.ErrExist):
		return refuse(path, "exists already and is not overwritten")
	case errors.Is(err, fs.ErrNotExist):
		return refuse(path, "does not exist")
	}
	return refuse(path, "cannot be %s: %s", doing, why)
}

// cause removes the operation and the temporary name from a file system error.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}
