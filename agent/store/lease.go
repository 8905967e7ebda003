package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// A lease is a lock on a file that belongs to one execution. The system gives
// it up when its process ends, however that ends, so that another process can
// tell an execution that goes on from one that was cut off.

// lease takes the lease of an execution. Without one the execution goes on all
// the same; another process would then take it for cut off.
func (s *Store) lease(id int64) {
	path := s.leasePath(id)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return
	}
	if !tryLock(f) {
		f.Close()
		return
	}
	s.mu.Lock()
	if s.leases == nil {
		s.leases = map[int64]*os.File{}
	}
	s.leases[id] = f
	s.mu.Unlock()
}

// release gives the lease of an execution back.
func (s *Store) release(id int64) {
	s.mu.Lock()
	f := s.leases[id]
	delete(s.leases, id)
	s.mu.Unlock()
	if f != nil {
		os.Remove(f.Name())
		f.Close()
		os.Remove(f.Name()) // where a file that is open stays
	}
}

// Forsake gives back the lease of an execution of which this process cannot store
// what came of it: whoever looks next may find out from the files.
func (s *Store) Forsake(id int64) { s.release(id) }

// Alive tells whether the process that began an execution still holds its
// lease, this process included.
func (s *Store) Alive(id int64) bool {
	f, err := os.OpenFile(s.leasePath(id), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return isLocked(f)
}

func (s *Store) leasePath(id int64) string {
	return filepath.Join(s.dir, "executions", fmt.Sprintf("%d.lock", id))
}
