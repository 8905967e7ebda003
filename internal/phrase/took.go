package phrase

import (
	"fmt"
	"time"
)

// Took returns how long something took, in milliseconds, for people: "2.3 s", "1m12s".
func Took(millis int64) string {
	d := time.Duration(millis) * time.Millisecond
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
