package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"redline/workspace/leftover"
)

// Plain is a plain copy of the folders of a workspace, in a folder for temporary files: what there is
// where this system has no worlds, or where the user wants no other. It isolates nothing: a command
// that runs in it can write wherever the user can. It knows exactly what it began with.
//
// Its methods are for one goroutine at a time, except In.
type Plain struct {
	dir   string // without links
	root  *os.Root
	noted func()

	folders []place
	names   []place            // folders by all their names
	began   map[string]*copied // by the path in the copy
	ready   time.Time          // when the copy was complete

	left []string // what List found, as paths in the copy, in its order
}

// place is a folder of the workspace and where the copy has it.
type place struct{ name, path string }

// copied is a file or link of the copy, as the command found it.
type copied struct {
	name string      // absolute, as the host has it
	link string      // what a link leads to
	info fs.FileInfo // of a file in the copy
	hash [32]byte    // of its content, if it is known
	sure bool        // hash is set
}

// PlainFrom describes what a plain copy is made from.
type PlainFrom struct {
	// Folders are the folders of the workspace, absolute. They may lead through links.
	Folders []string

	// Changes are applied, as in a [World]. A file that has one is not copied.
	Changes []Change

	// Has reports how the copy has a file or a folder, by its absolute name without links. It is asked
	// about folders before what is in them.
	Has func(name string, isDir bool) Having

	Left *leftover.Ledger // records the copy, so that it is removed after a crash; nil records nothing
}

// Having is how a plain copy has a file or a folder.
type Having int

// The ways.
const (
	HasNot   Having = iota // not, and nothing in it
	HasBelow               // a folder: only what in it is asked for
	HasAside               // as an aid for the command: it is noticed if it changes, but not what it was
	Has                    // yes
)

// NewPlain copies the folders of a workspace. The error is a part of a sentence.
func NewPlain(ctx context.Context, from PlainFrom) (*Plain, error) {
	p := &Plain{began: map[string]*copied{}}
	if err := p.placeAll(from.Folders); err != nil {
		return nil, err
	}
	from.Left.Sweep()
	if err := p.make(from.Left); err != nil {
		return nil, err
	}
	m := &plainMaker{Plain: p, PlainFrom: from}
	for _, do := range []func() error{
		func() error { return m.list(ctx) }, func() error { return m.copyAll(ctx) }, m.change, m.date,
	} {
		if err := do(); err != nil {
			p.Remove()
			return nil, err
		}
	}
	p.ready = time.Now()
	return p, nil
}

// placeAll decides where the copy has the folders. They lie to each other as on the host, so that a path
// from one to another leads to the copy; a folder in another one is there already.
func (p *Plain) placeAll(folders []string) error {
	above := ""
	var reals []string
	for _, dir := range folders {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return err
		}
		reals = append(reals, real)
		if up := filepath.Dir(real); above == "" {
			above = up
		} else {
			for !isIn(up, above) {
				if above == filepath.Dir(above) {
					return errors.New("its folders are on several volumes")
				}
				above = filepath.Dir(above)
			}
		}
	}
	for i, real := range reals {
		path, err := filepath.Rel(above, real)
		if err != nil {
			return err
		}
		if path == "." { // the whole system
			return errors.New("it is the root of the file system")
		}
		p.names = append(p.names, place{real, path}, place{filepath.Clean(folders[i]), path})
		if !slices.ContainsFunc(reals, func(other string) bool { return other != real && isIn(real, other) }) {
			p.folders = append(p.folders, place{real, path})
		}
	}
	p.folders = slices.Compact(p.folders)
	slices.SortStableFunc(p.names, func(a, b place) int { return len(b.name) - len(a.name) }) // the innermost first
	return nil
}

// make creates the folder that holds the copy, if possible where copies need no room.
func (p *Plain) make(left *leftover.Ledger) error {
	parents := []string{os.TempDir()}
	if runtime.GOOS == "linux" && os.Getenv("TMPDIR") == "" {
		parents = []string{"/var/tmp", os.TempDir()} // the other one may be in memory
	}
	var last error
	for _, parent := range parents {
		parent, err := filepath.EvalSymlinks(parent)
		if err != nil {
			last = err
			continue
		}
		if i := slices.IndexFunc(p.folders, func(f place) bool { return isIn(parent, f.name) }); i >= 0 {
			last = errors.New("the folder for temporary files, " + parent + ", is in the workspace: name another one in TMPDIR")
			continue
		}
		p.dir = filepath.Join(parent, leftover.Name(leftover.Folder))
		p.noted = left.Note(p.dir)
		if err = os.Mkdir(p.dir, 0o700); err == nil {
			if p.root, err = os.OpenRoot(p.dir); err == nil {
				return nil
			}
			_ = os.Remove(p.dir)
		}
		p.noted()
		last = err
	}
	return cmp.Or(last, errors.New("there is no folder for temporary files"))
}

// Remove removes the copy.
func (p *Plain) Remove() {
	_ = p.root.Close()
	if leftover.RemoveAll(p.dir) == nil {
		p.noted() // otherwise the next sweep removes it
	}
}

// Dir returns the folder that holds the copies of all folders of the workspace.
func (p *Plain) Dir() string { return p.dir }

// In returns the name in the copy of a file or folder of the workspace. ok is false for others. name is
// absolute.
func (p *Plain) In(name string) (in string, ok bool) {
	path, ok := p.path(name)
	return filepath.Join(p.dir, path), ok
}

// path returns the path in the copy.
func (p *Plain) path(name string) (path string, ok bool) {
	name = filepath.Clean(name)
	for _, f := range p.names {
		if isIn(name, f.name) {
			rel, err := filepath.Rel(f.name, name)
			return filepath.Join(f.path, rel), err == nil
		}
	}
	return "", false
}

// Out replaces the names of the copy in a text by those of the workspace.
func (p *Plain) Out(text string) string {
	for _, f := range p.folders {
		text = strings.ReplaceAll(text, filepath.Join(p.dir, f.path), f.name)
	}
	return text
}

// Into replaces the names of the workspace in a text by those of the copy. shell says that the text is for
// a shell: then an error, a part of a sentence, says that a name of the copy would need quotes there.
func (p *Plain) Into(text string, shell bool) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); {
		at := slices.IndexFunc(p.names, func(f place) bool {
			return strings.HasPrefix(text[i:], f.name) && endsName(text[i+len(f.name):])
		})
		if at < 0 {
			out.WriteByte(text[i])
			i++
			continue
		}
		if shell && strings.ContainsFunc(p.dir, isSpecial) {
			return "", fmt.Errorf("it names %s, which is not where it works: write names from its folder", p.names[at].name)
		}
		out.WriteString(filepath.Join(p.dir, p.names[at].path))
		i += len(p.names[at].name)
	}
	return out.String(), nil
}

// endsName reports whether a name of a file that is followed by a text ends there.
func endsName(text string) bool {
	text = strings.TrimLeft(text, ".")
	return text == "" || !isPlainWord(rune(text[0]))
}

// isSpecial reports whether a shell may read a character in a name as something else.
func isSpecial(r rune) bool {
	return !isPlainWord(r) && !strings.ContainsRune("./:"+string(filepath.Separator), r)
}

func isPlainWord(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80
}
