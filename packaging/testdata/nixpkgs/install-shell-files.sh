# What nixpkgs' installShellFiles does with the arguments that Redline's package gives.
# shellcheck disable=SC2154 # Nix sets out

installManPage() {
  local page
  for page in "$@"; do
    install -Dm644 "$page" -t "$out/share/man/man${page##*.}"
  done
}

installShellCompletion() {
  local name=''
  while [ $# -gt 0 ]; do
    case $1 in
      --cmd) name=$2 ;;
      --bash) install -Dm644 "$2" "$out/share/bash-completion/completions/$name.bash" ;;
      --zsh) install -Dm644 "$2" "$out/share/zsh/site-functions/_$name" ;;
      --fish) install -Dm644 "$2" "$out/share/fish/vendor_completions.d/$name.fish" ;;
      *)
        echo "installShellCompletion has no $1" >&2
        return 1
        ;;
    esac
    shift 2
  done
}
