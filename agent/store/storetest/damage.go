package storetest

import (
	"database/sql"
	"errors"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// Damage changes the database in the directory of a store behind the store's back, with a
// statement of SQL. It is an error if nothing is changed.
func Damage(dir, statement string) error {
	db, err := sql.Open("sqlite", filepath.Join(dir, "redline.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close()
	result, err := db.Exec(statement)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = errors.New("nothing was changed")
	}
	return err
}
