//go:build unix && !(linux && (amd64 || arm64))

package runner

// uppers does nothing: this system has no worlds.
type uppers struct{}

func uppersFor(*Command) (uppers, error) { return uppers{}, nil }

func (uppers) remove() {}

func (uppers) watch(int, func()) (stop func() bool) { return func() bool { return false } }
