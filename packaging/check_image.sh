#!/usr/bin/env bash
# Builds the image without a container engine or registry, and serves from it: Debian's buildah and
# debootstrap, as root. The base is Debian's own Python instead of docker.io's.
# Usage: packaging/check_image.sh [PIP_VOLUME...]   (folders or files of the host that pip needs)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=localhost/tokalign-base image=localhost/tokalign port=50950
work=$(mktemp -d)
container=
finish() {
  if [ -n "$container" ]; then buildah rm "$container" >/dev/null; fi
  rm -rf "$work"
}
trap finish EXIT

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv,python3-dev \
    bookworm "$work/base" >"$work/log" || { tail "$work/log"; exit 1; }
  ln -sf python3 "$work/base/usr/bin/python"
  cp -rL /etc/ssl/certs/. "$work/base/etc/ssl/certs/"
  container=$(buildah from scratch)
  buildah copy -q "$container" "$work/base" / >/dev/null
  buildah commit -q "$container" "$base" >/dev/null
  buildah rm "$container" >/dev/null
  container=
fi

volumes=()
for path in "$@"; do volumes+=(--volume "$path:$path:ro"); done
buildah bud --isolation chroot --format docker --build-arg "PYTHON_IMAGE=$base" "${volumes[@]}" \
  -f deploy/Dockerfile -t "$image" .

# Serve as the image says, on loopback, as its user; ask; stop.
container=$(buildah from "$image")
inside() { buildah run --isolation chroot "$container" -- "$@"; }
test "$(inside id -u)" = 10001
inside tokalign serve --port $port --metrics-port 0 --drain-delay 1 >"$work/out" 2>&1 &
server=$!
for _ in $(seq 60); do
  if inside tokalign serve --check 127.0.0.1:$port >/dev/null 2>&1; then break; fi
  sleep 1
done
inside sh -c "printf 'Dogs bark.\tA dog barks.\n' | tokalign align --server 127.0.0.1:$port"
# The server is a grandchild: buildah does not pass signals on.
leaf=$server
while child=$(cat /proc/$leaf/task/*/children | cut -d' ' -f1) && [ -n "$child" ]; do
  leaf=$child
  if tr '\0' ' ' </proc/$leaf/cmdline | grep -q '^/opt/tokalign/bin/python'; then break; fi
done
kill -TERM "$leaf"
wait "$server"
grep -q '"event": "stopped"' "$work/out"
echo "the image serves and stops"
