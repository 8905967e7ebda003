package workspace

// WorkFolder turns a model's name for a folder to work in into its path, like
// [Workspace.Clean]; "" is the root of the workspace, of several folders the first. It
// refuses what exists but is not a folder, and what is reached through a symbolic link,
// because a reader takes the name for the place. It accepts a missing folder, since a plan
// may create it.
func (d *files) WorkFolder(name string) (path string, err error) {
	clean, err := d.roots.Clean(name)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", nil
	}
	_, rel, err := d.roots.locate(clean)
	if err != nil {
		return "", err
	}
	r, real, err := d.roots.resolve(clean)
	switch {
	case err != nil:
		return "", err
	case real != rel:
		return "", refuse(clean, "is reached through a symbolic link; name the folder that it leads to")
	}
	dir, err := r.open()
	if err != nil {
		return "", err
	}
	if info, err := dir.Stat(rel); err == nil && !info.IsDir() {
		return "", refuse(clean, "is a file; name a folder to run the command in")
	}
	return clean, nil
}
