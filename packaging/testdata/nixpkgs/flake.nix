# A stand-in for the part of nixpkgs that Redline's flake uses. It builds with this machine's
# bash and tar, downloads with Nix itself, and checks the hash.
{
  outputs =
    { self }:
    let
      lib = {
        inherit (builtins) attrNames;
        genAttrs =
          names: make:
          builtins.listToAttrs (
            map (name: {
              inherit name;
              value = make name;
            }) names
          );
        getLicenseFromSpdxId = id: { spdxId = id; };
        sourceTypes.binaryNativeCode = {
          isSource = false;
        };
      };

      packages = system: rec {
        inherit lib;
        installShellFiles = ./install-shell-files.sh;
        fetchurl = { url, hash }: import <nix/fetchurl.nix> { inherit url hash; } // { inherit hash; };
        stdenvNoCC = {
          hostPlatform = { inherit system; };
          mkDerivation =
            arguments:
            derivation (
              removeAttrs arguments [ "meta" ]
              // {
                inherit system;
                name = "${arguments.pname}-${arguments.version}";
                builder = "/bin/bash";
                args = [ ./build.sh ];
                PATH = "/usr/local/bin:/usr/bin:/bin";
              }
            )
            // {
              inherit (arguments) meta src;
            };
        };
        callPackage =
          file: more:
          let
            package = import file;
          in
          package (builtins.intersectAttrs (builtins.functionArgs package) (packages system // more));
      };
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] packages;
    };
}
