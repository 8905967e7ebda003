//go:build !unix

package world

import "errors"

// nonblock is 0 on systems without FIFOs.
const nonblock = 0

// freeSpace is not known here.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
