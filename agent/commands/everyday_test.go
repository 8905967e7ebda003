package commands

import "testing"

// everyday are typical lines of people and models; rules can allow every command in them.
var everyday = []string{
	"go test ./...", "go test -race ./...", "go test -run TestName ./pkg/...", "go test -run 'TestA|TestB' ./...", `go test -run "TestName" ./... `,
	"go build ./...", "go build -o bin/app ./cmd/app", "go vet ./...", "go vet ./... && go test ./...", "go mod tidy", "go mod download", "go generate ./...", "go run ./cmd/app --help",
	"go test -count=1 ./...", "go test -v ./... 2>&1", "go test ./... 2>&1 | tail -20", "go test ./... 2>&1 | head -n 50", "go test ./... > /dev/null", "go test ./... >/dev/null 2>&1",
	"go test -bench=. -benchmem ./...", "go test -coverprofile=cover.out ./... && go tool cover -func=cover.out", "go list -m all", "go env GOFLAGS", "go install ./cmd/app", "go fmt ./...",
	"gofmt -l .", "gofmt -l . | head", "gofmt -d main.go", "staticcheck ./...", "golangci-lint run", "golangci-lint run --timeout=5m ./...",
	"npm test", "npm ci", "npm install", "npm run build", "npm run lint -- --fix", "npm run test:unit", "npm run build && npm test", "npm ls --depth=0", "npm audit --production",
	"npx tsc --noEmit", "npx eslint src --ext .ts,.tsx", "npx prettier --check .", "npx jest --runInBand", "npx jest src/a.test.ts -t 'adds two numbers'",
	"yarn", "yarn install --frozen-lockfile", "yarn test", "yarn workspace app build", "pnpm install", "pnpm -r test", "pnpm --filter app build", "bun test", "deno test", "deno fmt --check", "node --version", "node script.js", "node --test",
	"make", "make test", "make -j4", "make -j4 all", "make clean && make", "make clean; make", "make CC=gcc test", "make -C sub all", "make VERBOSE=1", "make lint test build", "cmake -S . -B build", "cmake --build build -j 8", "ctest --test-dir build --output-on-failure", "ninja -C build",
	"cargo build", "cargo test", "cargo test --all-features", "cargo clippy -- -D warnings", "cargo fmt --check", "cargo fmt -- --check", "cargo run --release", "cargo test -p my-crate some::module::test", "cargo check --workspace",
	"python -m pytest", "python3 -m pytest -q", "pytest -x -q", "pytest tests/test_a.py::test_b", "pytest -k 'not slow'", "python setup.py build", "python3 -m unittest discover -s tests", "python3 -m venv .venv", "pip install -r requirements.txt", "pip install -e .", `pip install "requests>=2.0"`, "pip install 'flask[async]'", "ruff check .", "ruff check --fix src", "black --check .", "mypy src", "mypy --strict pkg", "tox -e py312", "poetry run pytest", "uv run pytest -q", "uv sync", "flake8 --max-line-length=100",
	"mvn -q test", "mvn -B verify", "mvn -Dtest=FooTest test", "./mvnw test", "./gradlew build", "./gradlew test --tests com.example.FooTest", "gradle check", "ant test", "sbt test", `sbt "testOnly com.example.FooSpec"`, "bazel test //...", "bazel build //pkg:target", "dotnet test", "dotnet build -c Release", "swift test", "zig build test", "mix test", "rebar3 eunit", "stack test", "cabal test", "dune runtest", "bundle exec rspec", "bundle exec rake test", "rake", "rspec spec/models/user_spec.rb:42", "composer install", "vendor/bin/phpunit", "vendor/bin/phpunit --filter testName", "php -l index.php", "rubocop -A", "mocha --reporter dot", "vitest run", "playwright test --project=chromium",
	"git status", "git status --short", "git diff", "git diff --stat", "git diff HEAD~1", "git diff HEAD^ -- src", "git log --oneline -5", "git log -n 3 --format=%h", `git log --format="%h %s"`, "git log --since='2 weeks ago'", "git show HEAD", "git show HEAD:README.md", "git show abc1234", "git branch -a", "git blame -L 10,20 main.go", "git stash list", "git rev-parse HEAD", "git ls-files", "git ls-files '*.go'", "git grep -n TODO", "git add -A", "git add src/main.go", "git commit -m 'fix the sum'", `git commit -m "Fix: don't crash on empty input"`, `git commit -m "fix(parser): handle a, b and c (again)"`, `git commit -am "x" --no-verify`, "git checkout -b feature/x", "git fetch origin", "git describe --tags", "git diff origin/main...HEAD --stat", "git add . && git commit -m 'wip' && git status", "git commit -m 'Größe: äöü, 你好 — ok'",
	"ls", "ls -la", "ls -la src", "ls src | wc -l", "cat a.txt", "cat src/a.go src/b.go", "cat 'my file.txt'", `cat "my file.txt"`, `cat my\ file.txt`, "head -20 main.go", "head -n 5 a.txt b.txt", "tail -n 100 app.log", "tail -n +2 a.csv", "wc -l main.go", "pwd", "echo done", "echo 'all good'", `echo "it's fine"`, "echo ok && go test ./...", "grep -rn TODO src", "grep -rn 'func main' .", `grep -n "a\.b" file.txt`, `grep -E '^(a|b)+$' file.txt`, "grep -c x a.txt || echo none", "grep -v '^#' a.conf", "grep -rn --include='*.go' Foo .", "rg TODO", "rg -n 'fn main' src", "rg --files", "find . -name '*.go'", `find . -name "*.go" -type f`, "find src -type f", "find . -maxdepth 2 -type d", "sort a.txt | uniq -c | sort -rn | head", "sed -n '1,20p' main.go", "sed -n 5p a.txt", "sed -i 's/a/b/' a.txt", "awk '{print $1}' a.txt", `awk -F: '{ print $1, $3 }' a.txt`, "cut -d: -f1 a.txt", "tr a b", "diff a.txt b.txt", "diff -u a.txt b.txt || true", "touch a.txt", "mkdir -p build/out", "cp a.txt b.txt", "mv a.txt b.txt", "date +%Y-%m-%d", "du -sh .", "file a.bin", "stat a.txt", "which go", "uname -a", "true", "false || true", "test -f go.mod && go test ./...", "test -d node_modules || npm ci", "jq .name package.json", "jq -r '.scripts | keys[]' package.json", "tree -L 2", "curl -sS http://localhost:8080/health", "curl -s -o /dev/null -w '%{http_code}' http://localhost:8080/", "docker ps", "docker compose ps", "docker build -t app:dev .", "kubectl get pods -n dev", "terraform validate", "terraform fmt -check", "shellcheck run.sh", "hadolint Dockerfile", "yamllint .", "actionlint", "buf lint", "protoc --go_out=. a.proto", "sqlite3 app.db 'select count(*) from t;'", "psql -c 'select 1' app", "redline plans list", "pre-commit run --all-files", "nix flake check .#app",
	"go build ./... \\\n  && go test ./...", "go build ./... &&\ngo test ./...", "go vet ./...\ngo test ./...\n", "go test ./... \\\n  -run TestA \\\n  -count=1", "make build; make test; make lint", "! grep -rn FIXME src", "cat a.txt | grep x | sort | uniq", "go test ./... || echo failed", "npm run build 2>/dev/null || true", "ls missing 2>&1 || true", "make  test", "\tmake test", "make test ", "make test;", "make test\n", "go test ./...;echo ok", "cat </dev/null", "make 1>&2", "make >>/dev/null 2>&1",
}

// Rules allow these lines although they are read twice.
func TestEverydayLines(t *testing.T) {
	if len(everyday) < 200 {
		t.Fatalf("only %d lines", len(everyday))
	}
	for _, line := range everyday {
		var names []string
		for _, words := range wordsRead(line) {
			if words[0] != "" {
				names = append(names, quotedRule(words[0]))
			}
		}
		r := parsed(t, names, nil)
		if v := r.Judge(line, ""); v.Answer != Allow {
			t.Errorf("%q: %s (%s)", line, v.Answer, v.Why)
		}
		// Rules about other commands do not refuse them.
		if v := parsed(t, nil, []string{"zap"}).Judge(line, ""); v.Answer == Deny {
			t.Errorf("%q is refused: %s", line, v.Why)
		}
	}
}

func quotedRule(word string) string { return "'" + word + "'" }
