// Package secrets recognises files that hold secrets, by their names and by their text. It
// never opens a file.
package secrets

import (
	"path"
	"slices"
	"strings"
)

// folders are the names of folders whose files are all secret.
var folders = set(
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".oci", ".aliyun", ".bluemix", ".chef", ".snowsql", ".snowflake",
	".password-store", ".electrum", "keyrings", "keychains",
)

// files are the names of files that hold credentials.
var files = set(
	// programs that talk to a server
	".netrc", "_netrc", ".authinfo", ".msmtprc", ".fetchmailrc", ".mailrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf",
	".git-credentials", ".s3cfg", ".passwd-s3fs", ".boto", ".tugboat", ".databrickscfg", ".databricks-connect", ".vault-token",
	"rclone.conf", ".rclone.conf", ".terraformrc", "terraform.rc", "kubeconfig", ".sentryclirc", ".renviron", "proftpdpasswd",
	// package registries
	".npmrc", ".pypirc", "auth.json", ".dockercfg", ".dockerconfigjson",
	// servers and frameworks
	".htpasswd", ".htdigest", "wp-config.php", "localsettings.php", "local_settings.py", "local.settings.json", "secret_token.rb",
	"hudson.util.secret", "ventrilo_srv.ini", ".vault_pass", ".vault_password", "vault_pass.txt", ".ansible_vault_pass",
	// editors, browsers, tools that move files
	"sftp.json", "sftp-config.json", ".ftpconfig", ".remote-sync.json", "filezilla.xml", "recentservers.xml", "sitemanager.xml",
	"webservers.xml", "datasources.local.xml", "robomongo.json", "logins.json", "key4.db", "login data", "cookies.sqlite", "cookies.txt",
	"wallet.dat", ".secrets", "rootkey.csv", "accesskeys.csv", "token.json",
)

// inFolder are paths that hold credentials only in that folder.
var inFolder = []string{
	".docker/config.json", "gh/hosts.yml", ".config/hub", "gcloud/access_tokens.db", "gcloud/credentials.db", ".config/doctl/config.yaml",
	".config/hcloud/cli.toml", ".config/stripe/config.toml", ".config/op/config", ".netlify/config.json", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".bundle/config", "huggingface/token", "sops/age/keys.txt", "app/config/parameters.yml",
	"etc/shadow", "etc/gshadow", "etc/sudoers", ".act/secrets",
}

// suffixes end the names of files that hold keys or credentials.
var suffixes = []string{
	".pem", ".key", ".p8", ".p12", ".pfx", ".pkcs12", ".jks", ".keystore", ".bcfks", ".kdb", ".kdbx", ".psafe3", ".ppk", ".keytab", ".agekey", ".ovpn",
	".keychain", ".keychain-db", ".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json", ".tfrc.json", ".kubeconfig", ".publishsettings", ".cscfg",
	".env", ".envrc", ".dev.vars",
}

// keyFiles are the prefixes of OpenSSH's private keys; ssh-keygen -f adds to them. Public
// keys end in .pub.
var keyFiles = []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"}

// words make a data file secret if its name ends with them, ignoring stages:
// db-credentials.json, secrets.prod.yaml.
var words = [][]string{
	{"credential"}, {"credentials"}, {"secret"}, {"secrets"}, {"password"}, {"passwords"}, {"passwd"},
	{"apikey"}, {"apikeys"}, {"api", "key"}, {"api", "keys"}, {"access", "key"}, {"access", "keys"}, {"private", "key"}, {"privatekey"}, {"kubeconfig"}, {"kube", "config"},
}

// stages are words that often end the names of settings.
var stages = set("prod", "production", "stage", "staging", "dev", "devel", "development", "live", "local", "test", "qa", "ci", "private")

// anywhere are words that make a JSON file secret anywhere in its name, since a provider
// adds its own.
var anywhere = [][]string{{"service", "account"}, {"serviceaccount"}, {"client", "secret"}, {"client", "secrets"}, {"adminsdk"}, {"gcp", "key"}}

// data are the extensions of data files, as opposed to code and prose.
var data = set("", ".json", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".csv", ".txt", ".xml", ".properties", ".plist", ".env")

// examples are words that mark a file as an example.
var examples = set("example", "examples", "sample", "template", "tmpl", "tpl", "dist", "skel", "skeleton", "schema", "placeholder")

// leftovers are the suffixes of copies that editors and people leave.
var leftovers = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".copy"}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Name reports whether the last part of a slash-separated path is, by convention, the name
// of a secret file or folder. It considers the parts before it only if the name alone says
// nothing. A file whose name says that it is an example is not secret.
func Name(file string, isDir bool) bool {
	file = strings.ToLower(file)
	name := path.Base(file)
	if isDir {
		return folders[name] || strings.HasPrefix(name, ".env")
	}
	for {
		if secretFile(file, name) {
			return !Example(name)
		}
		end := slices.IndexFunc(leftovers, func(s string) bool { return len(s) < len(name) && strings.HasSuffix(name, s) })
		if end < 0 {
			return false
		}
		n := len(leftovers[end])
		file, name = file[:len(file)-n], name[:len(name)-n]
	}
}

// secretFile is Name for a file in lower case.
func secretFile(file, name string) bool {
	switch {
	case files[name], strings.HasPrefix(name, ".env"), strings.HasPrefix(name, ".dev.vars"), strings.Contains(name, ".env.") && !code[path.Ext(name)]:
		return true
	case slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }):
		return true
	case slices.ContainsFunc(inFolder, func(s string) bool {
		return file == s || len(s) < len(file) && file[len(file)-len(s)-1] == '/' && strings.HasSuffix(file, s)
	}):
		return true
	case strings.HasPrefix(name, ".") && strings.HasSuffix(name, "_history"): // of a shell or a database
		return true
	}
	return keyFile(name) || secretData(file, name)
}

// keyFile reports whether name is that of an OpenSSH private key.
func keyFile(name string) bool {
	ext := path.Ext(name)
	if ext == ".pub" || code[ext] {
		return false
	}
	if slices.ContainsFunc(keyFiles, func(p string) bool { return strings.HasPrefix(name, p) }) {
		return true
	}
	if ext != "" {
		return false
	}
	return strings.HasPrefix(name, "ssh_host_") ||
		slices.ContainsFunc(keyFiles, func(p string) bool { return strings.HasSuffix(name, p[len("id"):]) }) // deploy_rsa
}

// secretData reports whether name is that of a data file with secrets.
func secretData(file, name string) bool {
	ext := path.Ext(name)
	if ext == name { // .credentials
		ext = ""
	}
	if !data[ext] {
		return false
	}
	if (ext == ".yml" || ext == ".yaml") && path.Base(path.Dir(file)) == "templates" {
		return false // Helm: the values are elsewhere
	}
	parts := split(strings.TrimSuffix(name, ext))
	if ext == ".json" && slices.ContainsFunc(anywhere, func(w []string) bool { return hasWords(parts, w) }) {
		return true
	}
	for len(parts) > 1 && stages[parts[len(parts)-1]] {
		parts = parts[:len(parts)-1]
	}
	return slices.ContainsFunc(words, func(w []string) bool {
		if ext == "" && len(parts) > len(w) && parts[len(parts)-1] != "credentials" { // the name of a program
			return false
		}
		return len(parts) >= len(w) && slices.Equal(parts[len(parts)-len(w):], w)
	})
}

func hasWords(parts, w []string) bool {
	for i := range parts {
		if i+len(w) <= len(parts) && slices.Equal(parts[i:i+len(w)], w) {
			return true
		}
	}
	return false
}

// split returns the words of a name.
func split(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".-_ ", r) })
}

// Example reports whether a file's name marks it as an example of another file
// (.env.example, config.sample.toml). Such files are public.
func Example(name string) bool {
	return slices.ContainsFunc(split(strings.ToLower(path.Base(name))), func(w string) bool { return examples[w] })
}
