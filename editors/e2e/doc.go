// Package e2e drives real editors, with no plugin and with the configuration
// that the pages beside it give to users, through Redline's main job: a
// request, the proposed change, its approval, the changed text, and undo; and
// through what must hold when a file cannot be changed, when the editor says
// something else than it did, and when the user types meanwhile. It
// has tests only. A test whose editor is missing is skipped;
// .ci/install-editors installs the editors.
package e2e
