package toolfolders

// Use says what a command may do with a folder.
type Use string

// The uses.
const (
	Cache Use = "cache" // what a tool can fetch or build again: approved commands may write it, trials a copy of it
	Tools Use = "tools" // programs, and what the user has installed: approved commands only read it, trials write a copy of it
)

// row is one entry of the table. Both at and seen have several folders, with spaces between them.
type row struct {
	tool    string // for whom it is, in words
	program string // creates the folder of a cache when it first runs: "" for one that must exist, "*" for any
	use     Use

	// at is where the folder is. "$NAME/x" is x in the folder that the variable names, and "~/x" is in
	// the home folder. A tool uses the first of which the variable is set; trials see all of them.
	at string

	// seen are the parts of the folder that trials see, since the rest may hold credentials or other
	// programs' data: "" for all of it, "-" for none.
	seen string
}

// table has the folders of tools outside the workspace. They are listed one by one because the
// folders around them hold credentials. XDG_CACHE_HOME, XDG_DATA_HOME and XDG_STATE_HOME move those
// in ~/.cache, ~/.local/share and ~/.local/state.
var table = []row{
	{"all tools", "*", Cache, "~/.cache", "-"},
	{"programs", "", Tools, "~/.local/bin", ""},
	{"programs", "", Tools, "~/.local/lib", ""},

	{"Go", "go", Cache, "$GOPATH/pkg ~/go/pkg", ""},
	{"Go", "go", Cache, "$GOMODCACHE", ""},
	{"Go", "go", Cache, "$GOCACHE ~/.cache/go-build", ""},
	{"Go", "", Tools, "$GOPATH/bin ~/go/bin", ""},
	{"Go", "", Tools, "$GOBIN", ""},
	{"Go", "", Tools, "$GOROOT", ""},
	{"Go", "", Cache, "~/.cache/goimports", ""},
	{"golangci-lint", "golangci-lint", Cache, "$GOLANGCI_LINT_CACHE ~/.cache/golangci-lint", ""},
	{"staticcheck", "staticcheck", Cache, "$STATICCHECK_CACHE ~/.cache/staticcheck", ""},

	{"Rust", "cargo", Cache, "$CARGO_HOME/registry ~/.cargo/registry", ""},
	{"Rust", "cargo", Cache, "$CARGO_HOME/git ~/.cargo/git", ""},
	{"Rust", "cargo", Cache, "$CARGO_TARGET_DIR", ""},
	{"Rust", "sccache", Cache, "$SCCACHE_DIR ~/.cache/sccache", ""},
	{"Rust", "", Tools, "$CARGO_HOME/bin ~/.cargo/bin", ""},
	{"Rust", "", Tools, "$RUSTUP_HOME ~/.rustup", ""},

	{"npm", "npm", Cache, "$npm_config_cache $NPM_CONFIG_CACHE ~/.npm", "_cacache"},
	{"pnpm", "pnpm", Cache, "$npm_config_store_dir $NPM_CONFIG_STORE_DIR $pnpm_config_store_dir $PNPM_HOME/store ~/.local/share/pnpm/store", ""},
	{"pnpm", "pnpm", Cache, "~/.local/state/pnpm", ""},
	{"pnpm", "pnpm", Cache, "~/.cache/pnpm", ""},
	{"pnpm", "", Tools, "$PNPM_HOME ~/.local/share/pnpm", ""},
	{"Yarn", "yarn", Cache, "$YARN_CACHE_FOLDER ~/.cache/yarn", ""},
	{"Yarn", "yarn", Cache, "$YARN_GLOBAL_FOLDER ~/.yarn/berry", "cache"},
	{"Corepack", "corepack", Cache, "$COREPACK_HOME ~/.cache/node", ""},
	{"Bun", "bun", Cache, "$BUN_INSTALL_CACHE_DIR $BUN_INSTALL/install/cache ~/.bun/install/cache", ""},
	{"Bun", "", Tools, "$BUN_INSTALL/bin ~/.bun/bin", ""},
	{"Bun", "", Tools, "$BUN_INSTALL/install/global ~/.bun/install/global", ""},
	{"Deno", "deno", Cache, "$DENO_DIR ~/.cache/deno", ""},
	{"Deno", "", Tools, "$DENO_INSTALL_ROOT ~/.deno", ""},
	{"Playwright", "", Cache, "$PLAYWRIGHT_BROWSERS_PATH ~/.cache/ms-playwright", ""},
	{"Cypress", "", Cache, "$CYPRESS_CACHE_FOLDER ~/.cache/Cypress", ""},
	{"Puppeteer", "", Cache, "$PUPPETEER_CACHE_DIR ~/.cache/puppeteer", ""},
	{"nvm", "", Tools, "$NVM_DIR ~/.nvm", ""},
	{"Volta", "", Tools, "$VOLTA_HOME ~/.volta", ""},
	{"fnm", "", Tools, "$FNM_DIR ~/.local/share/fnm ~/.fnm", ""},

	{"pip", "pip", Cache, "$PIP_CACHE_DIR ~/.cache/pip", ""},
	{"uv", "uv", Cache, "$UV_CACHE_DIR ~/.cache/uv", ""},
	{"uv", "", Tools, "$UV_PYTHON_INSTALL_DIR ~/.local/share/uv/python", ""},
	{"uv", "", Tools, "$UV_TOOL_DIR ~/.local/share/uv/tools", ""},
	{"Poetry", "poetry", Cache, "$POETRY_VIRTUALENVS_PATH", ""},
	{"Poetry", "poetry", Cache, "$POETRY_CACHE_DIR ~/.cache/pypoetry", ""},
	{"Poetry", "", Tools, "$POETRY_HOME ~/.local/share/pypoetry", "venv bin"},
	{"PDM", "pdm", Cache, "$PDM_CACHE_DIR ~/.cache/pdm", ""},
	{"PDM", "pdm", Cache, "~/.local/share/pdm/venvs", ""},
	{"Hatch", "hatch", Cache, "$HATCH_CACHE_DIR ~/.cache/hatch", ""},
	{"Hatch", "hatch", Cache, "$HATCH_DATA_DIR/env ~/.local/share/hatch/env", ""},
	{"Pipenv", "pipenv", Cache, "$PIPENV_CACHE_DIR ~/.cache/pipenv", ""},
	{"Pipenv", "pipenv", Cache, "$WORKON_HOME ~/.local/share/virtualenvs", ""},
	{"pre-commit", "pre-commit", Cache, "$PRE_COMMIT_HOME ~/.cache/pre-commit", ""},
	{"pipx", "", Tools, "$PIPX_HOME/venvs ~/.local/share/pipx/venvs ~/.local/pipx/venvs", ""},
	{"pipx", "", Tools, "$PIPX_BIN_DIR", ""},
	{"Python", "", Tools, "$VIRTUAL_ENV ~/.virtualenvs", ""},
	{"pyenv", "", Tools, "$PYENV_ROOT ~/.pyenv", ""},
	{"conda", "conda", Cache, "$CONDA_PKGS_DIRS ~/.conda/pkgs", ""},
	{"conda", "", Tools, "$CONDA_PREFIX ~/.conda/envs", ""},
	{"conda", "", Tools, "$MAMBA_ROOT_PREFIX ~/miniconda3 ~/anaconda3 ~/miniforge3 ~/mambaforge ~/micromamba ~/.local/share/mamba ~/opt/miniconda3 ~/opt/anaconda3", ""},

	{"Maven", "java", Cache, "$MAVEN_OPTS $MAVEN_ARGS ~/.m2/repository", ""},
	{"Maven", "mvn", Cache, "$MAVEN_USER_HOME/wrapper ~/.m2/wrapper", ""},
	{"Gradle", "java", Cache, "$GRADLE_USER_HOME ~/.gradle", "caches wrapper"},
	{"Kotlin", "", Cache, "$KONAN_DATA_DIR ~/.konan", ""},
	{"Coursier", "", Cache, "$COURSIER_CACHE ~/.cache/coursier", ""},
	{"Ivy", "sbt", Cache, "~/.ivy2/cache", ""},
	{"sbt", "sbt", Cache, "~/.sbt/boot", ""},
	{"Java", "", Tools, "$JAVA_HOME", ""},
	{"SDKMAN", "", Tools, "$SDKMAN_DIR/candidates ~/.sdkman/candidates", ""},
	{"Android", "", Tools, "$ANDROID_HOME", ""},

	{"Ruby", "", Cache, "$BUNDLE_USER_CACHE ~/.bundle/cache", ""},
	{"Ruby", "", Tools, "$GEM_HOME ~/.local/share/gem", ""},
	{"Ruby", "", Tools, "~/.gem/ruby", ""},
	{"rbenv", "", Tools, "$RBENV_ROOT ~/.rbenv", ""},
	{"RVM", "", Tools, "~/.rvm", ""},

	{".NET", "dotnet", Cache, "$NUGET_PACKAGES ~/.nuget/packages", ""},
	{".NET", "dotnet", Cache, "$NUGET_HTTP_CACHE_PATH ~/.local/share/NuGet/http-cache", ""},
	{".NET", "", Tools, "$DOTNET_ROOT", ""},
	{".NET", "", Tools, "~/.dotnet/sdk", ""},
	{".NET", "", Tools, "~/.dotnet/shared", ""},
	{".NET", "", Tools, "~/.dotnet/host", ""},
	{".NET", "", Tools, "~/.dotnet/packs", ""},
	{".NET", "", Tools, "~/.dotnet/tools", ""},

	{"Composer", "composer", Cache, "$COMPOSER_CACHE_DIR $COMPOSER_HOME/cache ~/.cache/composer", ""},
	{"Composer", "", Cache, "~/.composer/cache", ""},
	{"Elixir", "", Cache, "$HEX_HOME/packages ~/.hex/packages", ""},
	{"Elixir", "", Tools, "$MIX_HOME ~/.mix", ""},
	{"Erlang", "", Cache, "~/.cache/rebar3", ""},
	{"Haskell", "cabal", Cache, "$CABAL_DIR/packages ~/.cabal/packages", ""},
	{"Haskell", "cabal", Cache, "$CABAL_DIR/store ~/.cabal/store", ""},
	{"Haskell", "", Cache, "~/.local/state/cabal/store", ""},
	{"Haskell", "", Cache, "$STACK_ROOT/snapshots ~/.stack/snapshots", ""},
	{"Haskell", "", Cache, "$STACK_ROOT/pantry ~/.stack/pantry", ""},
	{"Haskell", "", Tools, "$STACK_ROOT/programs ~/.stack/programs", ""},
	{"Haskell", "", Tools, "~/.ghcup", ""},
	{"OCaml", "", Tools, "$OPAMROOT ~/.opam", ""},
	{"Dart", "dart", Cache, "$PUB_CACHE/hosted ~/.pub-cache/hosted", ""},
	{"Dart", "dart", Cache, "$PUB_CACHE/git ~/.pub-cache/git", ""},
	{"Dart", "", Tools, "$PUB_CACHE/bin ~/.pub-cache/bin", ""},
	{"Julia", "", Cache, "$JULIA_DEPOT_PATH/packages ~/.julia/packages", ""},
	{"Julia", "", Cache, "$JULIA_DEPOT_PATH/artifacts ~/.julia/artifacts", ""},
	{"Julia", "", Cache, "$JULIA_DEPOT_PATH/compiled ~/.julia/compiled", ""},
	{"Julia", "", Cache, "$JULIA_DEPOT_PATH/registries ~/.julia/registries", ""},
	{"Julia", "", Tools, "~/.juliaup", ""},
	{"Lean", "", Tools, "$ELAN_HOME ~/.elan", ""},
	{"Swift", "", Cache, "~/.cache/swift", ""},
	{"Swift", "", Cache, "~/.cache/org.swift.swiftpm", ""},
	{"Swift", "", Tools, "~/.swiftly", ""},
	{"Zig", "", Cache, "$ZIG_GLOBAL_CACHE_DIR ~/.cache/zig", ""},
	{"Bazel", "", Cache, "~/.cache/bazel", ""},
	{"Bazel", "", Cache, "$BAZELISK_HOME ~/.cache/bazelisk", ""},
	{"ccache", "ccache", Cache, "$CCACHE_DIR ~/.cache/ccache", ""},
	{"ccache", "", Cache, "~/.ccache", ""},
	{"asdf", "", Tools, "$ASDF_DATA_DIR ~/.asdf", ""},
	{"mise", "", Tools, "$MISE_DATA_DIR ~/.local/share/mise", ""},
}
