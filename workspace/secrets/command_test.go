package secrets

import "testing"

func TestMaskedCommand(t *testing.T) {
	for line, want := range map[string]string{
		"deploy --token=abc123 x":                                                "deploy --token=[removed] x",
		"deploy --token abc -v":                                                  "deploy --token [removed] -v",
		"deploy --api-key s3cr3t -v":                                             "deploy --api-key [removed] -v",
		"deploy --api-key='a b' x":                                               "deploy --api-key=[removed] x",
		`deploy --client-secret "a \" b" x`:                                      "deploy --client-secret [removed] x",
		"deploy '--api-key=a b' x":                                               "deploy '--api-key=[removed]' x",
		`env "TOKEN=a b" deploy`:                                                 `env "TOKEN=[removed]" deploy`,
		"deploy -password hunter2":                                               "deploy -password [removed]",
		"deploy --token \\\n  abc x":                                             "deploy --token \\\n  [removed] x",
		`sh -c "deploy --token abc" && x`:                                        `sh -c "deploy --token [removed]" && x`,
		"deploy --token a\\ b'c d'e x":                                           "deploy --token [removed] x",
		"API_KEY=abcd make":                                                      "API_KEY=[removed] make",
		"env A=1 GITHUB_TOKEN=ab MYSQL_PWD=x make":                               "env A=1 GITHUB_TOKEN=[removed] MYSQL_PWD=[removed] make",
		"make && PGPASSWORD=x psql":                                              "make && PGPASSWORD=[removed] psql",
		"curl https://ada:hunter2@host.example/x":                                "curl https://[removed]@host.example/x",
		"curl 'https://host.example/x?a=1&token=abc&b=2'":                        "curl 'https://host.example/x?a=1&token=[removed]&b=2'",
		"psql postgres://ada:p@w@db.example/app":                                 "psql postgres://[removed]@db.example/app",
		"curl -u ada:hunter2 https://host.example":                               "curl -u ada:[removed] https://host.example",
		"curl --user ada:hunter2 x":                                              "curl --user ada:[removed] x",
		"curl -H 'X-Api-Key: abcdef' x":                                          "curl -H '[removed]' x",
		"git push https://ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/x": "git push https://[removed]@github.com/x",
		"tool ghp_0123456789abcdefghijABCDEFGHIJ012345":                          "tool [removed]",

		// what only names a secret, or has a name like one
		"go generate ./...":                        "go generate ./...",
		"TOKEN=$TOKEN make --token \"${TOKEN}\"":   "TOKEN=$TOKEN make --token \"${TOKEN}\"",
		"tool --max-tokens 5 --tokenizer bpe":      "tool --max-tokens 5 --tokenizer bpe",
		"tool --token-file /run/token --no-auth x": "tool --token-file /run/token --no-auth x",
		"tool --token -v":                          "tool --token -v",
		"sort --key 2 --parallel=4":                "sort --key 2 --parallel=4",
		"docker run -u 1000:1000 img":              "docker run -u 1000:1000 img",
		"git clone ssh://git@host.example/x":       "git clone ssh://git@host.example/x",
		"grep -rn 'author' src/auth":               "grep -rn 'author' src/auth",
		"passwd --help":                            "passwd --help",
	} {
		if got := MaskedCommand(line); got != want {
			t.Errorf("%s\nis %s\nwant %s", line, got, want)
		}
		if again := MaskedCommand(MaskedCommand(line)); again != want {
			t.Errorf("%s: masked again it is %s", line, again)
		}
	}
}
