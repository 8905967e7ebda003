package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Left is what Redline has written below .redline in a folder.
type Left struct {
	Previews int  // files in .redline/plans
	Chat     bool // there is a chat file
}

// LeftIn looks for what Redline has written below .redline in a folder. What a user has made
// there, agents and templates, does not count. It follows no symbolic link.
func LeftIn(dir string) Left {
	var left Left
	root, err := os.OpenRoot(dir)
	if err != nil {
		return left
	}
	defer root.Close()
	left.Previews = len(previews(root))
	left.Chat = plain(root, ownDir+"/chat.md") == nil && exists(root, ownDir+"/chat.md")
	return left
}

// RemoveOwn removes what [LeftIn] finds in a folder, the chat file only if chat is set, and
// .redline itself if nothing else is in it. It follows no symbolic link. The errors are those of
// files that could not be removed; the others are removed all the same.
func RemoveOwn(dir string, chat bool) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	var failed []error
	remove := func(name string) {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	for _, name := range previews(root) {
		remove(name)
	}
	if chat && plain(root, ownDir+"/chat.md") == nil {
		remove(ownDir + "/chat.md")
	}
	empty := func(name string) bool {
		entries, err := fs.ReadDir(root.FS(), name)
		return err == nil && len(entries) == 0
	}
	if plain(root, ownDir+"/plans/x") == nil && empty(ownDir+"/plans") {
		remove(ownDir + "/plans")
	}
	ignore := ownDir + "/.gitignore"
	if plain(root, ignore) != nil {
		return errors.Join(failed...)
	}
	entries, err := fs.ReadDir(root.FS(), ownDir)
	alone := err == nil && len(entries) == 1 && entries[0].Name() == ".gitignore"
	if text, err := root.ReadFile(ignore); alone && err == nil && string(text) == ownIgnore {
		remove(ignore)
	}
	if empty(ownDir) {
		remove(ownDir)
	}
	return errors.Join(failed...)
}

// previews lists the files in .redline/plans.
func previews(root *os.Root) []string {
	folder := ownDir + "/plans"
	if plain(root, folder+"/x") != nil {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	slices.Sort(names)
	return names
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}
