#!/usr/bin/env bash
# Builds Jaeger from source into bin/jaeger unless that was built from this go.mod already, and prints its path.
# For machines that can't run its container image. About 120 MB and, the first time, some minutes.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
binary=$PWD/bin/jaeger
built_from=$PWD/bin/jaeger.built-from

if [[ -x $binary ]] && cmp -s go.mod "$built_from"; then
  echo "$binary"
  exit 0
fi

needed=$(awk '$1 == "go" { print $2; exit }' go.mod)
if ! command -v go >/dev/null; then
  echo "Jaeger is built from source, and no Go toolchain was found on PATH." >&2
  echo "Install Go $needed or later: https://go.dev/doc/install, or your distribution's package." >&2
  exit 1
fi

echo "Building Jaeger with $(go env GOVERSION)" >&2
mkdir -p bin
# Without cgo no C compiler is needed. The last step is a rename, so that nobody starts half a binary.
if ! CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$binary.$$" \
  github.com/jaegertracing/jaeger/cmd/jaeger >&2; then
  rm -f "$binary.$$"
  echo "Jaeger could not be built. It takes Go $needed or later (this is $(go env GOVERSION))," >&2
  echo "access to a Go module proxy (GOPROXY is $(go env GOPROXY)) and 5 GB of disk for the caches." >&2
  exit 1
fi
mv -f "$binary.$$" "$binary"
cp go.mod "$built_from"
echo "$binary"
