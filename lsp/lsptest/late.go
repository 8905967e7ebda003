package lsptest

import (
	"io"
	"math/rand/v2"
	"time"
)

// Late delays each read from a connection by a random time of at most upTo, which exposes whatever
// depends on the speed of messages. Messages stay in order, and writing never waits. If upTo is not
// positive, Late returns the connection itself.
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
