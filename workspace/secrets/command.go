package secrets

import (
	"strings"

	"redline/internal/lazyregexp"
)

// The parts of [inCommand].
const (
	// secretName ends the name of a flag, a variable or a parameter whose value is a secret.
	secretName = `(?:(?:[a-z0-9]+[_.-])*(?:auth|authorization|cookie|pass|pwd|[a-z0-9]*(?:credentials?|passw(?:or)?d|passphrase|secret|token)|(?:api|access|secret)key)|(?:[a-z0-9]+[_.-])+key)`
	// aValue is a word for a shell, or the part of one: quoted, or up to what separates it from the next.
	aValue = `(?:'[^']*'|"(?:[^"\\]|\\.)*"|(?:[^\s"'&;|()<>\\]|\\.)+)+`
)

// inCommand matches a secret in a command line, and before it, in its groups, what says that it is one.
var inCommand = lazyregexp.New(strings.Join([]string{
	`(?i)('(?:--?)?` + secretName + `=)([^']+)`, `("(?:--?)?` + secretName + `=)((?:[^"\\]|\\.)+)`, // '--api-key=VALUE'
	`(--?` + secretName + `(?:=|(?:\s|\\\n)+))(` + aValue + `)`,           // --api-key VALUE
	`((?:^|[\s"'` + "`" + `;&|(?])` + secretName + `=)(` + aValue + `)`,   // TOKEN=VALUE, ?token=VALUE
	`(\s(?:-u|--user|--proxy-user)(?:=|\s*)["']?[^\s"':/]*:)([^\s"':/]+)`, // -u NAME:VALUE
	`([a-z][a-z0-9+.-]*)(` + userInAddress + `)`,
}, "|"))

// MaskedCommand returns a command line with [Removed] in the place of what its flags, variables and
// addresses say to be a secret, and of what [Masked] recognises. What is not the secret itself stays:
//
//	API_KEY=[removed] deploy --token [removed] https://[removed]@git.example/app
//
// It is for lines that are shown or stored, not for those that an approval runs.
func MaskedCommand(line string) string {
	var b strings.Builder
	shown := 0
	for _, at := range inCommand().FindAllStringSubmatchIndex(line, -1) {
		for group := 2; group < len(at); group += 4 {
			start, end := at[group+2], at[group+3]
			if start < 0 {
				continue
			}
			name, value := line[at[group]:at[group+1]], line[start:end]
			if saysWhere(name, value) {
				b.WriteString(Masked(line[shown:at[group]]) + name + value)
				shown = end
				continue
			}
			if !isSecretValue(name, value) {
				continue
			}
			mark := Removed
			if strings.HasPrefix(value, "://") {
				mark = "://" + Removed + "@"
			}
			b.WriteString(Masked(line[shown:at[group]]) + name + mark)
			shown = end
		}
	}
	return b.String() + Masked(line[shown:])
}

// saysWhere reports whether what follows a name is no secret, but a variable that has one, or the user of
// an address that has no password.
func saysWhere(name, value string) bool {
	if strings.HasPrefix(value, "://") { // the name is a scheme
		return strings.Contains(strings.ToLower(name), "ssh") && !strings.Contains(value[3:], ":")
	}
	return isVariable().MatchString(strings.Trim(value, `"'`))
}

var isVariable = lazyregexp.New(`^\$(?:\w+|\{\w+\})$`)

// isSecretValue reports whether what follows a name is a secret: not the next flag, or a user's group.
func isSecretValue(name, value string) bool {
	switch {
	case strings.Trim(value, `"'`) == "", strings.HasPrefix(strings.ToLower(strings.TrimLeft(name, "-")), "no-"):
		return false
	case strings.HasPrefix(value, "-"):
		return strings.HasSuffix(name, "=")
	case strings.HasSuffix(name, ":"):
		return strings.Trim(value, "0123456789") != ""
	}
	return true
}
