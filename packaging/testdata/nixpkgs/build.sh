# The phases of nixpkgs' stdenv that a package has which is not built.
set -euo pipefail

runHook() { :; }

# shellcheck disable=SC2154 # Nix sets these variables
for hook in $nativeBuildInputs; do
  # shellcheck source=/dev/null
  source "$hook"
done
mkdir unpacked
cd unpacked
# shellcheck disable=SC2154
tar -xf "$src"
# shellcheck disable=SC2154
cd "$sourceRoot"
# shellcheck disable=SC2154
eval "$installPhase"
if [ "${doInstallCheck:-}" ]; then
  # shellcheck disable=SC2154
  eval "$installCheckPhase"
fi
