package draft

import (
	"context"
	"fmt"
	"strings"
)

// Missing says that there is no file at a path, and which files may have been meant, as
// the start of a message that goes on with what to do.
func (d *Draft) Missing(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missing(path)
}

// missing is Missing. The caller holds d.mu.
func (d *Draft) missing(path string) string {
	const gone = "does not exist; "
	w, ok := d.w.(knower)
	if !ok {
		return gone
	}
	switch like := w.Alike(context.Background(), path, d.overlay()); len(like) {
	case 0:
		return gone
	case 1:
		return fmt.Sprintf("%s%s does: use that path, or ", gone, like[0])
	default:
		last := len(like) - 1
		return fmt.Sprintf("%s%s and %s do: use one of these paths, or ", gone, strings.Join(like[:last], ", "), like[last])
	}
}
