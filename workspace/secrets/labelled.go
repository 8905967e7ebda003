package secrets

import "strings"

// label precedes a secret that has other characters than letters, digits, _ and -.
type label struct {
	after string // follows the key in labels
	extra string // characters of the secret besides letters and digits
	min   int    // bytes of the secret
}

// labels maps the run of letters, digits, _ and - at the start of a label to the rest.
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

// longestLabel is the length in bytes of the longest label.
const longestLabel = len("SharedAccessKey")

// isLabel reports whether a run is such a label, followed by its secret.
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
