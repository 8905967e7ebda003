package lsptest

import (
	"io"
	"math/rand/v2"
	"time"
)

// Late keeps what is read from a connection back, each time by anything up to a duration: what
// depends on how fast messages are shows. Their order stays, and writing never waits. With no
// duration it returns the connection itself.
func Late(rwc io.ReadWriteCloser, upTo time.Duration) io.ReadWriteCloser {
	if upTo <= 0 {
		return rwc
	}
	return &late{rwc, upTo}
}

type late struct {
	io.ReadWriteCloser
	upTo time.Duration
}

func (l *late) Read(p []byte) (int, error) {
	n, err := l.ReadWriteCloser.Read(p)
	time.Sleep(rand.N(l.upTo))
	return n, err
}
