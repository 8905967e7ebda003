package workspace

import (
	"path"
	"strings"
)

// secretDirs and secretFiles are the names, in lower case, of what holds secrets
// by custom.
var (
	secretDirs = map[string]bool{
		".ssh": true, ".gnupg": true, ".aws": true, ".azure": true, ".kube": true,
	}
	secretFiles = map[string]bool{
		".netrc": true, "_netrc": true, ".npmrc": true, ".pypirc": true, ".pgpass": true,
		".htpasswd": true, ".git-credentials": true, ".dockercfg": true, ".my.cnf": true, ".vault-token": true,
		"credentials": true, "credentials.json": true, "credentials.toml": true, "credentials.yml": true, "credentials.yaml": true,
		"secrets.json": true, "secrets.toml": true, "secrets.yml": true, "secrets.yaml": true,
		"id_rsa": true, "id_dsa": true, "id_ecdsa": true, "id_ed25519": true,
		"id_ecdsa_sk": true, "id_ed25519_sk": true,
	}
	secretSuffixes = []string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"}
)

// secretName says whether the last part of rel is the name of a secret.
func secretName(rel string, isDir bool) bool {
	name := strings.ToLower(path.Base(rel))
	if strings.HasPrefix(name, ".env") {
		return true
	}
	if isDir {
		return secretDirs[name]
	}
	if secretFiles[name] {
		return true
	}
	for _, suffix := range secretSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
