#!/usr/bin/env bash
# Installs what the example clients and their tests need out of Debian's archive; as root.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

packages=(
  protobuf-compiler protobuf-compiler-grpc
  g++ pkg-config libgrpc++-dev libprotobuf-dev
  golang-google-grpc-dev golang-google-genproto-dev golang-goprotobuf-dev protoc-gen-go-1-3
  libgrpc-java libprotobuf-java libgoogle-common-protos-java libgoogle-gson-java libnetty-java
  libnetty-tcnative-java libperfmark-java libgeronimo-annotation-1.3-spec-java
  protobuf-compiler-grpc-java-plugin
)
# Any Node, Go and Java do, and any browser of that name.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
command -v go >/dev/null || packages+=(golang-go)
command -v javac >/dev/null || packages+=(openjdk-17-jdk-headless)
command -v chromium >/dev/null || packages+=(chromium)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "== installing ${missing[*]}"
apt=(apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
"${apt[@]}" update
removed=$("${apt[@]}" --simulate --no-install-recommends install "${missing[@]}" | grep '^Remv' || true)
if [ -n "$removed" ]; then
  printf 'this would remove packages, so nothing was installed:\n%s\n' "$removed" >&2
  exit 1
fi
"${apt[@]}" -y --no-install-recommends install "${missing[@]}" >/dev/null
