package workspace

import "sync"

// readers reads files for a search, each into a reused buffer.
type readers struct {
	limit   int64   // bytes
	off     *limits // files not to read
	buffers sync.Pool
	folders folders
}

func newReaders(limit int64, off *limits) *readers {
	return &readers{limit: limit, off: off, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// read calls use with the content of e on disk, unless it is unreadable or too large. use
// must not keep the bytes.
func (r *readers) read(e entry, use func(data []byte)) {
	buffer := r.buffers.Get().(*[]byte)
	defer r.buffers.Put(buffer)
	if data, ok := r.folders.read(e, r.limit, r.off, buffer); ok {
		use(data)
	}
}

func (r *readers) close() { r.folders.close() }

// readSlowly reads a file in a way that works on every system.
func readSlowly(e entry, limit int64, off *limits) (data []byte, ok bool) {
	data, info, err := readKnown(e.dir, e.path, e.rel, limit)
	return data, err == nil && !off.covers(info, "")
}
