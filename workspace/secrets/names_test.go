package secrets

import "testing"

func TestName(t *testing.T) {
	secret := []string{
		".env", ".env.local", ".env.production", "prod.env", "deploy/staging.env", ".envrc", "app.env.local", ".dev.vars", "prod.env.bak",
		"terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars.json", ".terraformrc", ".terraform.d/credentials.tfrc.json",
		"kubeconfig", "kubeconfig.yaml", "admin-kubeconfig.yml", "prod.kubeconfig", "home/.docker/config.json", ".docker/config.json", ".dockercfg", ".dockerconfigjson",
		".config/gh/hosts.yml", "dot/gh/hosts.yml", ".config/hub", ".config/doctl/config.yaml", ".config/hcloud/cli.toml", ".config/rclone/rclone.conf",
		"id_rsa", "id_ed25519", "id_ed25519_work", "id_rsa.old", "id_ecdsa_sk", "deploy_rsa", "github_ed25519", "ssh_host_rsa_key", "putty.ppk",
		"service-account.json", "service_account_prod.json", "my-serviceaccount.json", "client_secret_123.apps.googleusercontent.com.json", "app-firebase-adminsdk-x1.json",
		"application_default_credentials.json", "gcp-credentials.json", "aws_credentials", "credentials", ".credentials.json", "credentials.csv", "db-credentials.ini",
		".npmrc", ".pypirc", ".netrc", "_netrc", ".authinfo", ".pgpass", "pgpass.conf", ".my.cnf", ".git-credentials", ".htpasswd", ".s3cfg", ".boto", ".vault-token",
		"secrets.yml", "secrets.prod.yaml", "secret.json", ".secrets", ".secrets.toml", "app-secrets.toml", "config/master.key", "passwords.txt", "password.txt", "db-password.txt",
		"api_keys.json", "apikey.txt", "private-key.txt", "server.pem", "server.key", "a.p12", "a.pfx", "a.p8", "a.jks", "a.keystore", "a.kdbx", "a.keytab", "client.ovpn",
		"wp-config.php", "local_settings.py", "local.settings.json", "auth.json", ".vscode/sftp.json", ".ftpconfig", "recentservers.xml", ".idea/dataSources.local.xml",
		".bash_history", ".psql_history", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".databrickscfg",
		".sentryclirc", "rootkey.csv", "accessKeys.csv", "token.json", "wallet.dat", "etc/shadow", "huggingface/token", "SERVER.KEY", "Credentials.JSON",
	}
	for _, name := range secret {
		if !Name(name, false) {
			t.Errorf("%s is not taken for secret", name)
		}
	}
	if len(secret) < 100 {
		t.Errorf("only %d names are tried", len(secret))
	}
	for _, name := range []string{
		".env.example", ".env.sample", ".env.template", ".env.dist", "env.example", "example.env", ".env-sample", "terraform.tfvars.example", "credentials.example.json",
		"config.json", "docker/config.json", "hosts.yml", "settings.xml", "gradle.properties", "id_rsa.pub", "id_ed25519_work.pub", "id_rsa_test.go", "deploy_rsa.pub",
		"credentials.go", "secrets.py", "password.js", "secrets.md", "tokens.json", "tokenizer.json", "token.go", "environment.ts", "vite.env.d.ts", "env.go", "environ.txt",
		"keyboard.json", "monkey.go", "key.go", "config.yaml", "templates/secret.yaml", ".github/workflows/secret-scan.yml", "git-secret", "passwd.c", "package.json", "main.tf",
		"history.go", "README", "Makefile", "go.sum", "service.json", "account.json", "secrets.enc.yaml",
	} {
		if Name(name, false) {
			t.Errorf("%s is taken for secret", name)
		}
	}
	for name, want := range map[string]bool{".ssh": true, "a/.aws": true, ".gnupg": true, ".kube": true, "secrets": false, ".docker": false, "src": false, ".env": true} {
		if Name(name, true) != want {
			t.Errorf("the folder %s: %v", name, !want)
		}
	}
}
