//go:build !linux

package workspace

// folders opens files below a workspace folder.
type folders struct{}

func (*folders) read(e entry, limit int64, off *limits, _ *[]byte) (data []byte, ok bool) {
	return readSlowly(e, limit, off)
}

func (*folders) close() {}

// numbered is empty: this system compares files with [os.SameFile].
type numbered struct{}

func (onDisk) numbers() numbered { return numbered{} }
