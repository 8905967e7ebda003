package secrets

import "strings"

// label comes before a secret whose form needs more than letters, digits, _ and -.
type label struct {
	after string // what follows the run of these that is its name, below
	extra string // characters that are in the secret besides letters and digits
	min   int    // bytes of the secret
}

// labels are known by the run of letters, digits, _ and - that they begin with.
var labels = map[string]label{
	"SG":              {".", "._-", 60},                  // SendGrid: 22 and 43
	"hvs":             {".", "._-", 24},                  // Vault
	"hvb":             {".", "._-", 90},                  //
	"atlasv1":         {".", "_-=", 60},                  // Terraform
	"dp":              {".pt.", "", 40},                  // Doppler
	"dt0c01":          {".", ".", 85},                    // Dynatrace
	"ya29":            {".", "._-", 60},                  // Google
	"AccountKey":      {"=", "+/=", 86},                  // Azure
	"SharedAccessKey": {"=", "+/=", 43},                  //
	"hooks":           {".slack.com/services/", "/", 40}, // Slack
	"discord":         {".com/api/webhooks/", "/_-", 75}, // Discord
	"discordapp":      {".com/api/webhooks/", "/_-", 75}, //
}

// longestLabel is the length in bytes of the longest one.
const longestLabel = len("SharedAccessKey")

// isLabel reports whether a run is such a label, and its secret comes after it.
func isLabel(run, after string) bool {
	l, ok := labels[run]
	if !ok {
		return false
	}
	value, ok := strings.CutPrefix(after, l.after)
	if !ok {
		return false
	}
	n := 0
	for n < len(value) && (classes[value[n]]&letters != 0 || strings.IndexByte(l.extra, value[n]) >= 0) {
		n++
	}
	return n >= l.min && random(value[:n], true)
}
