// Package e2e drives real editors, with no plugin and with the configuration
// that the pages beside it give to users, through Redline's main job: a
// request, the proposed change, its approval, the changed text, and undo. It
// has tests only. A test whose editor is missing is skipped;
// .ci/install-editors installs the editors.
package e2e
