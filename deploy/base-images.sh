#!/bin/sh
# Prints the build arguments that pin the base images of the Dockerfile by the digests that their tags have now. A release is built
# with them, and they are kept with it: docker build $(deploy/base-images.sh) --tag sluice .
set -eu
cd "$(dirname "$0")/.."
for name in NODE_IMAGE BASE_IMAGE; do
  image=$(sed -n "s/^ARG $name=//p" Dockerfile)
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  printf -- '--build-arg %s=%s@%s\n' "$name" "$image" "$digest"
done
