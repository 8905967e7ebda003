package workspace

import (
	"redline/workspace/secrets"
)

// Secret reports whether the model may see path only if the user names it: because of its
// name (.env files, private keys, credentials), because .redline/ignore names it, because
// it is a link to such a file, or because its text, in the editor or else on disk, holds a
// private key or a token.
func (w *Workspace) Secret(path string) bool {
	if w.SecretByName(path) {
		return true
	}
	r, rel, err := w.locate(path)
	if err != nil {
		return false
	}
	_, real, err := w.resolve(path)
	if b, open := w.Buffer(path); open {
		return secrets.Text(rel, b.Lines.Text())
	}
	if err != nil {
		return false
	}
	data, _, err := r.readRegular(path, real, w.maxFile)
	return err == nil && secrets.Text(rel, string(data))
}

// SecretByName is [Workspace.Secret] without a look at the text. The file need not exist.
func (w *Workspace) SecretByName(path string) bool {
	r, rel, err := w.locate(path)
	if err != nil {
		return false
	}
	named := r.named()
	if secretPath(named, rel) {
		return true
	}
	_, real, err := w.resolve(path)
	return err == nil && real != rel && secretPath(named, real)
}

// secretPath reports whether rel or a folder above it is secret by name.
func secretPath(named []pattern, rel string) bool {
	for i := range len(rel) {
		if rel[i] == '/' {
			if secret, _ := decide(named, rel[:i], true); secret || secrets.Name(rel[:i], true) {
				return true
			}
		}
	}
	secret, _ := decide(named, rel, false)
	return secret || secrets.Name(rel, false)
}
