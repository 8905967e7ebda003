package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"redline/agent/audit"
)

// TestDatabaseOfVersion15 finds the records of a workspace that had another name.
func TestDatabaseOfVersion15(t *testing.T) {
	s, n := storeOfVersion(t, 15), 0
	if err := s.AuditLog(t.Context(), ws, func(audit.Entry) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
}

// What an older version kept under a name that leads through a link is found by the folder's own
// name, its audit records too. Two lists of plans never become one.
func TestDatabaseWithLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, other := filepath.Join(dir, "folder"), filepath.Join(dir, "other")
	link, otherLink := filepath.Join(dir, "link"), filepath.Join(dir, "other link")
	for to, from := range map[string]string{folder: link, other: otherLink} {
		if err := os.Mkdir(to, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, from); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	s := storeOfVersion(t, 2)
	db := raw(t, s.dir)
	for i, name := range []string{other, otherLink} {
		exec(t, db, `CREATE TEMP TABLE one AS SELECT * FROM plans WHERE workspace = '`+ws+`'`)
		exec(t, db, fmt.Sprintf(`UPDATE one SET id = %d, workspace = '%s'`, 100+i, name))
		exec(t, db, `INSERT INTO plans SELECT * FROM one; DROP TABLE one`)
	}
	exec(t, db, `UPDATE plans SET workspace = '`+link+`' WHERE workspace = '`+ws+`'`)
	exec(t, db, `INSERT INTO audit (seq, workspace, record, hash) SELECT COALESCE(MAX(seq), 0) + 1, '`+link+`', '{}', 'h' FROM audit`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	before, _, err := s.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, before, []string{folder, other, otherLink})
	for name, want := range map[string]bool{folder: true, link: false, other: true, otherLink: true} {
		if has, err := s.HasPlans(t.Context(), name); err != nil || has != want {
			t.Errorf("%s has plans: %v, %v", name, has, err)
		}
	}
	n := 0
	if err := s.AuditLog(t.Context(), folder, func(audit.Entry) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d audit records of the folder, %v", n, err)
	}
}
