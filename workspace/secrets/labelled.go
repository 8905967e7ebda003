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

// isLabel reports whether a run is such a label, followed by its secret, and how many bytes follow.
func isLabel(run, after string) (size int, ok bool) {
	l, ok := labels[run]
	if !ok {
		return 0, false
	}
	value, ok := strings.CutPrefix(after, l.after)
	if !ok {
		return 0, false
	}
	n := span(value, func(r rune) bool {
		return r < 0x80 && classes[r]&letters != 0 || strings.ContainsRune(l.extra, r)
	})
	return len(l.after) + n, n >= l.min && random(value[:n], true)
}

// isSigned reports whether what follows the first part of a signed token (RFC 7519: three parts in
// base64 with dots between, as in eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx….dozjgNryP4J3…) are the others.
func isSigned(after string) (size int, ok bool) {
	claims, ok := strings.CutPrefix(after, ".eyJ")
	if !ok {
		return 0, false
	}
	n := span(claims, isDashed)
	signature, ok := strings.CutPrefix(claims[n:], ".")
	m := span(signature, isDashed)
	return len(".eyJ") + n + len(".") + m, ok && m >= 43 && random(signature[:m], true)
}

// minValue is how many bytes a password in an address, or what follows Bearer, must have to be taken
// for one that opens something: examples are shorter, and [random] knows their words.
const minValue = 16

// isBearer reports whether a run is the name of a scheme of authorization, followed by a token.
func isBearer(run, after string) (size int, ok bool) {
	if !strings.EqualFold(run, "bearer") {
		return 0, false
	}
	value := strings.TrimLeft(after, " ")
	n := span(value, func(r rune) bool { return isBase64(r) || strings.ContainsRune("-._~", r) })
	return len(after) - len(value) + n, n >= minValue && random(value[:n], true)
}

// hasPassword reports whether an address has a password, as in postgres://me:PASSWORD@host/, and
// how many bytes of after, which begins with ://, reach up to its end.
func hasPassword(after string) (size int, ok bool) {
	n := span(after[len("://"):], func(r rune) bool { return !strings.ContainsRune("/@ \t\r\n\"'`<>", r) })
	user, rest := after[len("://"):][:n], after[len("://"):][n:]
	_, password, ok := strings.Cut(user, ":")
	return len("://") + n, ok && strings.HasPrefix(rest, "@") && len(password) >= minValue && random(password, true)
}

func isDashed(r rune) bool { return r < 0x80 && classes[r]&dashed != 0 }
