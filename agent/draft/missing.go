package draft

import (
	"context"
	"fmt"
	"strings"
)

// Missing says that there is no file at a path, and which files may have been meant, as
// the start of a message that goes on with what to do.
func (draft *Draft) Missing(path string) string {
	d, done := draft.open()
	defer done()
	return d.missing(path)
}

// missing is [Draft.Missing].
func (l *layer) missing(path string) string {
	const gone = "does not exist; "
	names, ok := l.w.(knower)
	if !ok {
		return gone
	}
	switch like := names.Alike(context.Background(), path, l.overlay()); len(like) {
	case 0:
		return gone
	case 1:
		return fmt.Sprintf("%s%s does: use that path, or ", gone, like[0])
	default:
		last := len(like) - 1
		return fmt.Sprintf("%s%s and %s do: use one of these paths, or ", gone, strings.Join(like[:last], ", "), like[last])
	}
}
