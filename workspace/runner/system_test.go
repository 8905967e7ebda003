package runner

import "runtime"

var linux = runtime.GOOS == "linux"
