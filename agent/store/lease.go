package store

// A lease is the right of one execution to go on. Without one, where none can be
// had, it goes on all the same.

// Forsake gives back the lease of an execution of which this process cannot store
// what came of it: whoever looks next may find out from the files.
func (s *Store) Forsake(id int64) { s.leases.give(id) }

// Alive tells whether the process that began an execution still holds its
// lease, this process included.
func (s *Store) Alive(id int64) bool { return s.leases.taken(id) }
