package secrets

import (
	"bytes"
	"path"
	"strings"
)

// MayBePublic reports whether a file whose name says that it is secret may be public all the same:
// a file of certificates has the same ending as one with a key.
func MayBePublic(file string) bool { return strings.ToLower(path.Ext(file)) == ".pem" }

// Public reports whether a text has certificates or public keys, and nothing else in their form.
func Public(text []byte) bool {
	found := false
	for {
		_, rest, ok := bytes.Cut(text, []byte("-----BEGIN "))
		if !ok {
			return found
		}
		kind, rest, ok := bytes.Cut(rest, []byte("-----"))
		if !ok {
			return false
		}
		switch string(kind) {
		case "CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "X509 CRL", "PKCS7", "CERTIFICATE REQUEST", "DH PARAMETERS", "EC PARAMETERS":
		default:
			return false
		}
		found, text = true, rest
	}
}
