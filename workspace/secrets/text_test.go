package secrets

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// Nothing in this file is a secret, or looks like one to scanners: each is assembled when the test
// runs.

var chance = rand.New(rand.NewPCG(1, 2))

// some returns n of the given characters, beginning with one of each kind.
func some(n int, of string) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = of[chance.IntN(len(of))]
	}
	return string(out)
}

const (
	hexDigits = "0123456789abcdef"
	capitals  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// mixed returns n letters and digits, with some of each kind.
func mixed(n int) string { return "aB3" + some(n-3, alnum) }

// fakes are made-up secrets, by what they imitate.
func fakes() map[string]string {
	return map[string]string{
		"AWS": "AK" + "IA" + "2" + some(15, capitals), "AWS, for a session": "AS" + "IA" + "2" + some(15, capitals),
		"AWS, its secret": "aws_secret_" + "access_key = " + mixed(38) + "/+",
		"AWS, in JSON":    `"SecretAccess` + `Key": "` + mixed(40) + `"`,
		"GitHub":          "gh" + "p_" + mixed(36), "GitHub app": "gh" + "s_" + mixed(36), "GitHub, fine": "github" + "_pat_" + mixed(22) + "_" + mixed(59),
		"GitLab": "gl" + "pat-" + mixed(20), "GitLab, routable": "gl" + "pat-" + mixed(27) + ".01." + some(9, hexDigits),
		"Slack":      "xo" + "xb-" + some(11, "0123456789") + "-" + some(12, "0123456789") + "-" + mixed(24),
		"Slack hook": "https://hooks." + "slack.com/services/T" + some(8, capitals) + "/B" + some(8, capitals) + "/" + mixed(24),
		"Stripe":     "sk" + "_live_" + mixed(24), "Stripe, restricted": "rk" + "_live_" + mixed(99),
		"OpenAI": "sk" + "-" + mixed(20) + "T3Blbk" + "FJ" + mixed(20), "OpenAI, of a project": "sk" + "-proj-" + mixed(70) + "-" + mixed(80),
		"Anthropic": "sk" + "-ant-api03-" + mixed(93) + "AA", "OpenRouter": "sk" + "-or-v1-" + some(64, hexDigits),
		"Google": "AI" + "za" + mixed(35), "Google client": "GOC" + "SPX-" + mixed(28), "npm": "np" + "m_" + mixed(36),
		"PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + mixed(100), "SendGrid": "S" + "G." + mixed(22) + "." + mixed(43), "Twilio": "S" + "K" + some(32, hexDigits),
		"age": "AGE-SECRET" + "-KEY-1" + some(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), "Hugging Face": "h" + "f_" + mixed(34), "Vault": "hv" + "s." + mixed(95),
		"DigitalOcean": "do" + "p_v1_" + some(64, hexDigits), "Databricks": "da" + "pi" + some(32, hexDigits), "Shopify": "shp" + "at_" + some(32, hexDigits),
		"Telegram": some(10, "123456789") + ":A" + "A" + mixed(33), "Terraform": mixed(14) + ".atlas" + "v1." + mixed(64), "Mailgun": "ke" + "y-" + some(32, hexDigits),
		"Azure": "Account" + "Key=" + base64.StdEncoding.EncodeToString([]byte(mixed(64))), "RubyGems": "ruby" + "gems_" + some(48, hexDigits), "Docker": "dckr" + "_pat_" + mixed(27),
		"signed": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "J" + mixed(40) + "." + mixed(43), "an address": "postgres://me:" + mixed(20) + "@db.internal:5432/shop",
		"a header": "Authorization: Bea" + "rer " + mixed(32),
		"a key":    fakeKey("RSA PRIVATE KEY", 20), "a small key": fakeKey("PRIVATE KEY", 1), "OpenSSH": fakeKey("OPENSSH PRIVATE KEY", 6), "PGP": fakeKey("PGP PRIVATE KEY BLOCK", 20),
		"encrypted": strings.Replace(fakeKey("EC PRIVATE KEY", 3), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+some(32, hexDigits)+"\n\n", 1),
		"PuTTY":     "PuTTY-User-" + "Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n" + mixed(64) + "\n",
	}
}

// fakeKey returns a header with a number of body lines.
func fakeKey(kind string, lines int) string {
	text := "-----BEG" + "IN " + kind + "-----\n"
	for range lines {
		text += mixed(64) + "\n"
	}
	return text + "-----E" + "ND " + kind + "-----\n"
}

func TestText(t *testing.T) {
	for what, secret := range fakes() {
		inJSON := strings.ReplaceAll(secret, "\n", `\n`)
		for form, text := range map[string]string{
			"alone": secret, "in lines": "a = 1\n" + secret + "\nb = 2\n", "with CR LF": strings.ReplaceAll("x\n"+secret+"\ny", "\n", "\r\n"),
			"in JSON": `{"value": "` + inJSON + `", "other": 1}`, "after a \\n": `text = "first\n` + inJSON + `\n"`, "in YAML": "key: |\n  " + strings.ReplaceAll(secret, "\n", "\n  "),
			"in quotes": `TOKEN="` + inJSON + `"`, "in a comment": "// " + strings.ReplaceAll(secret, "\n", "\n// "), "in a shell": "export A='" + secret + "' && run",
		} {
			if strings.HasPrefix(what, "AWS, i") && form == "after a \\n" {
				continue // the name means something else there
			}
			if !Text("notes/config.txt", text) {
				t.Errorf("%s %s is not seen: %s", what, form, text)
			}
		}
		for _, name := range []string{".env.example", "config.sample.toml", "scan_test.go", "tests/scan.py", "src/KeyTest.java", "a.spec.ts"} {
			if Text(name, secret) {
				t.Errorf("%s is looked at: %s", name, what)
			}
		}
		if large := strings.Repeat("x = 1\n", 1<<18); !Text("a.txt", large+secret) || !Text("a.txt", large+secret+"\n"+large) {
			t.Errorf("it is not seen in a large text: %s", what)
		}
	}
}

// jwtExample is the token that jwt.io shows, and that READMEs and tests quote.
const jwtExample = "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey" +
	"JzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

func TestTextThatOnlyMentionsSecrets(t *testing.T) {
	pem := "-----BEG" + "IN RSA PRIVATE KEY-----"
	for what, text := range map[string]string{
		"a header":         `if strings.HasPrefix(line, "` + pem + `") { return true }`,
		"header and end":   pem + "\n...\n-----END RSA PRIVATE KEY-----\n",
		"a placeholder":    pem + "\n" + strings.Repeat("x", 64) + "\n" + strings.Repeat("x", 64) + "\n",
		"a pattern":        "gh" + `p_[0-9a-zA-Z]{36}`,
		"crosses":          "TOKEN=gh" + "p_" + strings.Repeat("x", 36),
		"words":            "TOKEN=gh" + "p_your_token_goes_here_please_replace_it",
		"a prefix":         "tokens begin with ghp" + "_ or sk_" + "live_ or AK" + "IA",
		"Amazon's example": "AK" + "IAIOSFODNN7EXAMPLE",
		"a public key":     "-----BEG" + "IN PUBLIC KEY-----\n" + mixed(64) + "\n" + mixed(64) + "\n",
		"a certificate":    "-----BEG" + "IN CERTIFICATE-----\n" + mixed(64) + "\n" + mixed(64) + "\n",
		"a sum":            "github.com/a/b v1.0.0 h1:" + mixed(43) + "=",
		"a hash":           some(64, hexDigits) + " " + some(40, hexDigits),
		"names":            "sk-folding-cube-with-a-very-long-name-that-goes-on key-value-store-of-the-application pul-requests-are-welcome-here-always",
		"a long token":     "gh" + "p_" + mixed(36) + strings.Repeat("a", 300),
		"a class of CSS":   "sk-" + strings.Repeat("abcdefgh", 6),
		"in the middle":    "thisisnoghp" + "_" + mixed(36),
		"a reference":      "token = ${GITHUB_TOKEN}\naws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}\n",
		"a bearer":         "a bearer token, Authorization: Bearer YOUR_ACCESS_TOKEN and Bearer ${TOKEN_OF_THE_SERVER_1}",
		"addresses":        "postgres://user:password@localhost/db, https://me@example.com, http://x:${SECRET_PASSWORD_1}@h, https://[::1]:8080/@scope",
		"parts of a token": "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
		"jwt.io's example": jwtExample, "the same, sent": "Authorization: Bearer " + jwtExample,
		"a checksum of a key": `"integrity": "sha512-` + mixed(86) + `=="`,
	} {
		if Text("main.go", text) {
			t.Errorf("%s is taken for a secret: %s", what, text)
		}
	}
}

func BenchmarkText(b *testing.B) {
	line := "	if err := handler.ServeRequest(ctx, &request{name: name, body: bytes.NewReader(data)}); err != nil { // a usual line of code\n"
	text := strings.Repeat(line, 32<<10/len(line))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Text("main.go", text) {
			b.Fatal("a secret")
		}
	}
}
