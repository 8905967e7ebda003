package brief

import (
	"path"
	"slices"
	"strings"
)

// languages maps the extensions of files, in lower case, to languages. It leaves out files that
// are only data or text.
var languages = map[string]string{}

func init() {
	for name, endings := range map[string]string{
		"Go": ".go", "Python": ".py .pyi", "Rust": ".rs", "C": ".c", "C/C++ headers": ".h", "C++": ".cc .cpp .cxx .hpp .hh .ipp", "C#": ".cs", "Java": ".java", "Kotlin": ".kt .kts",
		"JavaScript": ".js .jsx .mjs .cjs", "TypeScript": ".ts .tsx .mts .cts", "Vue": ".vue", "Svelte": ".svelte", "Ruby": ".rb .rake", "PHP": ".php", "Swift": ".swift", "Objective-C": ".m .mm",
		"Scala": ".scala", "Dart": ".dart", "Elixir": ".ex .exs", "Erlang": ".erl", "Haskell": ".hs", "OCaml": ".ml .mli", "F#": ".fs .fsi", "Clojure": ".clj .cljs .cljc", "Lua": ".lua", "Perl": ".pl .pm",
		"R": ".r", "Julia": ".jl", "Zig": ".zig", "Nim": ".nim", "Crystal": ".cr", "Groovy": ".groovy", "Shell": ".sh .bash .zsh", "PowerShell": ".ps1 .psm1", "SQL": ".sql", "HTML": ".html .htm", "CSS": ".css .scss .less",
		"Terraform": ".tf", "Protobuf": ".proto", "GraphQL": ".graphql .gql", "Assembly": ".s .asm", "CUDA": ".cu", "Solidity": ".sol", "Markdown": ".md", "Emacs Lisp": ".el", "Vim script": ".vim", "Nix": ".nix", "Fortran": ".f90 .f", "Ada": ".adb .ads", "D": ".d", "Visual Basic": ".vb",
	} {
		for _, ending := range strings.Fields(endings) {
			languages[ending] = name
		}
	}
}

func languageOf(ending string) string { return languages[strings.ToLower(ending)] }

// buildFiles are names of files that say how a project is built, apart from those that contain
// its checks.
var buildFiles = strings.Fields(`CMakeLists.txt meson.build configure.ac BUILD.bazel MODULE.bazel WORKSPACE build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.sbt
	go.work setup.py requirements.txt Pipfile Package.swift pubspec.yaml dune-project stack.yaml cabal.project rebar.config project.clj deps.edn Project.toml flake.nix shard.yml
	deno.jsonc pnpm-workspace.yaml turbo.json nx.json Dockerfile compose.yaml docker-compose.yml`)

// buildEndings are endings of further such names.
var buildEndings = []string{".csproj", ".fsproj", ".sln", ".slnx", ".cabal", ".gemspec", ".nimble"}

func isBuildFile(name string) bool {
	return Reads(name) || slices.Contains(buildFiles, name) || slices.Contains(buildEndings, path.Ext(name))
}

// examples are folders whose build files are not the project's own.
var examples = strings.Fields("testdata fixtures fixture third_party vendor node_modules examples example")

func isExample(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(part string) bool { return slices.Contains(examples, part) })
}

// noteworthy are folders that a model should know about although git ignores them: the project
// needs them to run, or has produced them.
var noteworthy = strings.Fields(".venv venv env node_modules target dist build out vendor bin obj .tox .nox __pypackages__ bower_components Pods deps _build .gradle .next coverage")
