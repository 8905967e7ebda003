// Package storetest puts a faulty disk under a store, for tests: an SQLite VFS
// over the usual one whose calls fail when a test says so.
package storetest
