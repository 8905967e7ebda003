package storetest

import (
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// Damage changes what the database in the directory of a store holds, behind the
// store's back, by a statement of SQL.
func Damage(dir, statement string) error {
	db, err := sql.Open("sqlite", filepath.Join(dir, "redline.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(statement)
	return err
}
