//go:build unix

package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Op is an operation that SQLite asks the disk for.
type Op string

// The operations that can fail.
const (
	Open     Op = "open"
	Read     Op = "read"
	Write    Op = "write"
	Truncate Op = "truncate"
	Sync     Op = "sync"
)

// Fault is how an operation fails.
type Fault struct {
	Ops   []Op
	At    int   // the number of the first one that fails, from 1
	Only  bool  // only that one fails; otherwise all later ones too
	Code  int32 // what SQLite gets: an extended result code
	Short bool  // a write writes its first half
}

// FullDisk fails every write, as a full disk does.
var FullDisk = Fault{Ops: []Op{Write, Truncate}, At: 1, Code: sqlite3.SQLITE_FULL}

// Unopenable fails to open every file.
var Unopenable = Fault{Ops: []Op{Open}, At: 1, Code: sqlite3.SQLITE_CANTOPEN}

// Each maps a description to each fault that a disk can have during a session.
var Each = map[string]Fault{
	"full":               FullDisk,
	"quota":              {Ops: []Op{Write}, At: 1, Code: sqlite3.SQLITE_IOERR_WRITE},
	"failed sync":        {Ops: []Op{Sync}, At: 1, Code: sqlite3.SQLITE_IOERR_FSYNC},
	"failed read":        {Ops: []Op{Read}, At: 1, Code: sqlite3.SQLITE_IOERR_READ},
	"read only":          {Ops: []Op{Write, Truncate}, At: 1, Code: sqlite3.SQLITE_READONLY},
	"failed read, write": {Ops: []Op{Write, Read, Sync}, At: 1, Code: sqlite3.SQLITE_IOERR},
	"damaged meanwhile":  {Ops: []Op{Read}, At: 1, Code: sqlite3.SQLITE_CORRUPT},
	"busy":               {Ops: []Op{Write}, At: 1, Code: sqlite3.SQLITE_BUSY},
}

// Disk is a disk that can have a fault. Its Name is that of its VFS.
type Disk struct {
	Name string

	mu    sync.Mutex
	fault *Fault
	count int // how many of the fault's operations were called since Fail
}

// Fail gives the disk a fault, and replaces an earlier one.
func (d *Disk) Fail(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.count = &f, 0
}

// Repair removes the fault. It returns how many of its operations were called meanwhile.
func (d *Disk) Repair() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = nil
	return d.count
}

// fails returns how an operation fails: the code is 0 if it does not.
func (d *Disk) fails(op Op) (code int32, short bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.fault
	if f == nil || !slices.Contains(f.Ops, op) {
		return sqlite3.SQLITE_OK, false
	}
	if d.count++; d.count == f.At || d.count > f.At && !f.Only {
		return f.Code, f.Short
	}
	return sqlite3.SQLITE_OK, false
}

var (
	disks sync.Map // *sqlite3_vfs (uintptr) → *mounted
	files sync.Map // *sqlite3_file (uintptr) → *file
	next  atomic.Int64
)

// mounted is a disk with the VFS that is below it.
type mounted struct {
	disk    *Disk
	below   uintptr
	methods sync.Map // methods of the VFS below (uintptr) → ours (uintptr)
}

// file is an open file.
type file struct {
	disk  *Disk
	below sqlite3.Tsqlite3_io_methods
}

// New registers a disk without a fault. It stays until the process ends.
func New() *Disk {
	tls := libc.NewTLS()
	defer tls.Close()
	d := &Disk{Name: fmt.Sprintf("faulty%d", next.Add(1))}
	below := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if below == 0 {
		panic("SQLite has no VFS")
	}
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
	name, err := libc.CString(d.Name)
	if err != nil || vfs == 0 {
		panic("no memory")
	}
	*at[sqlite3.Tsqlite3_vfs](vfs) = *at[sqlite3.Tsqlite3_vfs](below)
	v := at[sqlite3.Tsqlite3_vfs](vfs)
	v.FzName, v.FpNext, v.FxOpen = name, 0, pointer(open)
	disks.Store(vfs, &mounted{disk: d, below: below})
	if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 0); rc != sqlite3.SQLITE_OK {
		panic(fmt.Sprintf("the VFS was not registered: %d", rc))
	}
	return d
}

// at returns a pointer to the value at an address of C's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointer converts a Go function to C's pointer to it, and function converts back.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func open(tls *libc.TLS, vfs, name, f uintptr, flags int32, outFlags uintptr) int32 {
	value, _ := disks.Load(vfs)
	m := value.(*mounted)
	if code, _ := m.disk.fails(Open); code != sqlite3.SQLITE_OK {
		*at[uintptr](f) = 0 // no methods: SQLite does not close it
		return code
	}
	xOpen := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](at[sqlite3.Tsqlite3_vfs](m.below).FxOpen)
	rc := xOpen(tls, m.below, name, f, flags, outFlags)
	below := *at[uintptr](f)
	if below == 0 {
		return rc
	}
	files.Store(f, &file{disk: m.disk, below: *at[sqlite3.Tsqlite3_io_methods](below)})
	ours, ok := m.methods.Load(below)
	if !ok {
		table := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		if table == 0 {
			panic("no memory")
		}
		*at[sqlite3.Tsqlite3_io_methods](table) = *at[sqlite3.Tsqlite3_io_methods](below)
		t := at[sqlite3.Tsqlite3_io_methods](table)
		t.FxClose, t.FxRead, t.FxWrite = pointer(closeFile), pointer(read), pointer(write)
		t.FxTruncate, t.FxSync = pointer(truncate), pointer(syncFile)
		ours, _ = m.methods.LoadOrStore(below, table)
	}
	*at[uintptr](f) = ours.(uintptr)
	return rc
}

func opened(f uintptr) *file {
	value, _ := files.Load(f)
	return value.(*file)
}

func closeFile(tls *libc.TLS, f uintptr) int32 {
	o := opened(f)
	files.Delete(f)
	return function[func(*libc.TLS, uintptr) int32](o.below.FxClose)(tls, f)
}

func read(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32 {
	o := opened(f)
	if code, _ := o.disk.fails(Read); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](o.below.FxRead)(tls, f, buffer, n, offset)
}

func write(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32 {
	o := opened(f)
	xWrite := function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](o.below.FxWrite)
	code, short := o.disk.fails(Write)
	if code == sqlite3.SQLITE_OK {
		return xWrite(tls, f, buffer, n, offset)
	}
	if short {
		xWrite(tls, f, buffer, n/2, offset)
	}
	return code
}

func truncate(tls *libc.TLS, f uintptr, size int64) int32 {
	o := opened(f)
	if code, _ := o.disk.fails(Truncate); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, int64) int32](o.below.FxTruncate)(tls, f, size)
}

func syncFile(tls *libc.TLS, f uintptr, flags int32) int32 {
	o := opened(f)
	if code, _ := o.disk.fails(Sync); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, int32) int32](o.below.FxSync)(tls, f, flags)
}
